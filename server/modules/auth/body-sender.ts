import type { Caller } from './caller.ts'
import { networkOf } from './client-ip.ts'
import { tokenSubject } from './limit-requests.ts'

/** The sender whose share of the room for bodies a request takes: its token or person in the workspace, else its network. */
export function bodySenderOf({ caller, address }: { caller?: Caller; address: string }) {
  if (caller === undefined) return { sender: networkOf(address) }
  const { workspaceId, actor } = caller
  return { sender: `${actor.kind} ${tokenSubject(workspaceId, String(actor.id))}`, workspace: workspaceId }
}
