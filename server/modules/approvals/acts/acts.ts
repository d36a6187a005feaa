import type { ActKind } from '../schemas.ts'
import type { Act } from './act.ts'
import { automationAct } from './automation-act.ts'
import { broadcastAct } from './broadcast-act.ts'
import { emailAct } from './email-act.ts'

/** Everything that an agent may ask for. */
export const ACTS: Readonly<Record<ActKind, Act>> = {
  broadcast: broadcastAct,
  automation: automationAct,
  email: emailAct,
}
