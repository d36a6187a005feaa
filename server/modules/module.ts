import type { HttpApp } from '../platform/http/server.ts'
import type { JobKind } from '../platform/jobs/outcome.ts'
import type { ConsumerGroup } from '../platform/outbox/consumer.ts'

/** What a module plugs in; each module's `module.ts` is its table of contents. */
export type Module = {
  /** What it puts in front of every route, of whatever module. Runs after the guards and before any `routes`. */
  beforeRoutes?: (app: HttpApp) => void
  routes?: (app: HttpApp) => void
  consumers?: readonly ConsumerGroup[]
  /** Jobs it runs; those with `everySeconds` are its schedules. */
  jobs?: readonly JobKind[]
}
