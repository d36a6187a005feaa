import type { ReactNode } from 'react'
import { HereContext } from '../lib/permissions.ts'
import { useOnceKnown } from '../lib/use-known.ts'
import { useSite } from '../lib/use-site.ts'
import { SLUG } from '../lib/workspace-here.ts'
import { Loading } from '../ui/states.tsx'
import { useBandsKnown } from './bands-reads.ts'
import classes from './here-gate.module.css'

const STALE_MS = 60_000
/** Not theirs, or not before they have a second factor. */
const OUT = [403, 404]

/** Reads who is here, what they may do, and what stands above every page; nothing of a workspace is shown before. */
export function HereGate({ children }: { children: ReactNode }) {
  const session = useSite('GET /site/auth/session', {}, { staleMs: STALE_MS })
  const workspace = useSite('GET /', {}, { staleMs: STALE_MS })
  const areBandsKnown = useOnceKnown(useBandsKnown())
  // What was read once stands while the server is away, and not for whom it is no more.
  const isOut = workspace.error !== null && OUT.includes(workspace.error.status)
  if (session.data && workspace.data && areBandsKnown && !isOut) {
    const { user, workspaces } = session.data
    const role = workspaces.find(({ slug }) => slug === SLUG)?.role ?? 'viewer'
    return <HereContext value={{ user, workspaces, workspace: { ...workspace.data, role } }}>{children}</HereContext>
  }
  const problem = isOut ? workspace.error : (session.error ?? workspace.error)
  if (problem === null) {
    return (
      <main className={classes.gate}>
        <Loading rows={3} label="Opening the workspace" />
      </main>
    )
  }
  const others = session.data?.workspaces ?? []
  return (
    <main className={classes.gate}>
      <h1>{problem.status === 404 ? 'This workspace is not yours' : problem.title}</h1>
      <p className="soft">
        {problem.status === 404
          ? 'It does not exist, or you do not belong to it. Somebody who runs it can invite you.'
          : problem.detail}
      </p>
      {problem.status === 403 && (
        <p>
          <a href={`/app/${others.find(({ slug }) => slug !== SLUG)?.slug ?? ''}`}>To your other workspaces</a>
        </p>
      )}
      {problem.status === 404 && others.length > 0 && (
        <ul>
          {others.map(({ slug, name }) => (
            <li key={slug}>
              <a href={`/app/${slug}`}>{name}</a>
            </li>
          ))}
        </ul>
      )}
      <form method="post" action="/app/logout">
        <button type="submit" className={classes.plain}>
          Log out
        </button>
      </form>
    </main>
  )
}
