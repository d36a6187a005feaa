import { wrongStatus } from '../../../catalogue/problems.ts'
import type { Caller } from '../../auth/caller.ts'
import { measuringLinks } from '../../tracking/message-links.ts'
import { personOf } from '../preflight/sample-person.ts'
import { renderFor, type TestDeps } from '../preflight/send-test.ts'
import { broadcastRow } from '../read-broadcasts.ts'
import { readReport } from './read-report.ts'
import type { HeatMap } from './report-schemas.ts'

export type HeatMapDeps = Pick<TestDeps, 'sql' | 'compiled' | 'baseUrl'>

/** Any message: whether an address is counted does not depend on whose it is. */
const ANY_MESSAGE = { messageId: '1', contactId: null, destination: '', sendingSource: 'broadcasts' } as const

/**
 * The mail of a broadcast with its links named by their positions, and the clicks of each. Throws 404, 409 before it has gone
 * out, 403 and 422 for the contact.
 */
export async function readHeatMap(
  deps: HeatMapDeps,
  caller: Caller,
  { id, contactId }: { id: string; contactId?: string | undefined },
): Promise<HeatMap> {
  const { workspaceId } = caller
  const key = { workspaceId, id }
  const [row, report] = await Promise.all([broadcastRow(deps.sql, key), readReport(deps.sql, key)])
  if (report.startedAt === null) throw wrongStatus('It has not gone out yet: nobody can have clicked.')
  const person = await personOf(deps.sql, caller, contactId)
  const { clickUrl } = measuringLinks(deps.baseUrl).of({ workspaceId, ...ANY_MESSAGE })
  const shown = new Map<number, string>()
  const rewriteLink = (url: string, position: number) => {
    if (clickUrl(url, position) === url) return url
    shown.set(position, url)
    return `link:${position}`
  }
  const { subject, html } = await renderFor(deps, row, { workspaceId, person, rewriteLink })
  const clicked = new Map(report.links.map((link) => [link.position, link]))
  const positions = [...new Set([...shown.keys(), ...clicked.keys()])].sort((a, b) => a - b)
  const links = positions.map((position) => {
    const { url = '', clickCount = 0, clickedCount = 0, machineClickCount = 0 } = clicked.get(position) ?? {}
    const isShown = shown.has(position)
    return { position, url: shown.get(position) ?? url, isShown, clickCount, clickedCount, machineClickCount }
  })
  return { subject, html, links }
}
