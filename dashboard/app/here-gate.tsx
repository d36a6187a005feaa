import { type ReactNode, useEffect, useRef } from 'react'
import { type Here, HereContext } from '../lib/permissions.ts'
import { notePerson } from '../lib/person-here.ts'
import { useOnceKnown } from '../lib/use-known.ts'
import { useSite } from '../lib/use-site.ts'
import { SLUG } from '../lib/workspace-here.ts'
import { Loading } from '../ui/states.tsx'
import { sayToStay } from '../ui/toasts.tsx'
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
  useLessTold(workspace.data?.permissions)
  const isOut = workspace.error !== null && OUT.includes(workspace.error.status)
  if (session.data && workspace.data && areBandsKnown && !isOut) {
    const { user, workspaces } = session.data
    notePerson(user.id)
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

/** Whoever may do less than when they came is told: forms go from the page with what was typed in them, and the words of their refusal. */
function useLessTold(permissions: Here['workspace']['permissions'] | undefined): void {
  const before = useRef(permissions)
  useEffect(() => {
    if (permissions === undefined) return
    if (before.current?.some((one) => !permissions.includes(one)))
      sayToStay(
        'Your role in this workspace has changed. What it does not include is gone from the page, and what you typed there is not saved.',
      )
    before.current = permissions
  }, [permissions])
}
