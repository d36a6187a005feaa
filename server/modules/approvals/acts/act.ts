import type { Scope } from '../../../catalogue/scopes.ts'
import type { Caller } from '../../auth/caller.ts'
import type { ScenarioDeps } from '../../automations/scenarios/run-scenarios.ts'
import type { JudgeDeps } from '../../broadcasts/preflight/preflight.ts'
import type { TestDeps } from '../../broadcasts/preflight/send-test.ts'
import type { ActKind, Plan } from '../schemas.ts'

export type PlanDeps = JudgeDeps & TestDeps & ScenarioDeps

/** The thing that is asked about: of each kind its own ids, the others are null. */
export type Target = {
  act: ActKind
  broadcastId: string | null
  automationId: string | null
  templateId: string | null
  contactId: string | null
}

/** `contentHash` is of everything but the number of people. */
export type FrozenPlan = { plan: Plan; contentHash: Buffer; recipientsCount: number }

/** A request that is granted: what is done, at which time, and what it was when it was asked for. */
export type Granted = {
  approvalId: string
  target: Target
  scheduledAt: string | null
  /** Throws 409 `plan-changed` where the plan that is about to be done is another. */
  requireSame: (now: FrozenPlan) => void
}

/** A kind of act that an agent may ask for. */
export type Act = {
  /** The scope of whoever asks, and the permission of whoever approves. */
  needs: Scope
  /** Fields of the request that name its target. */
  names: readonly (keyof Omit<Target, 'act'>)[]
  /** Whether it can be done at a time to come. */
  mayWait: boolean
  /** The act as it would be done now. Throws 404 for an unknown target, 409 and 422 where it cannot be done. */
  freeze(deps: PlanDeps, key: { workspaceId: string; target: Target }): Promise<FrozenPlan>
  /** Does it in one transaction with what `onRecorded` of the caller does. Throws what freezing does, and `plan-changed`. */
  run(deps: PlanDeps, acting: Caller, granted: Granted): Promise<void>
}
