import type { PartitionNeed } from '../platform/db/expire-partitions.ts'
import type { ExpiringTable } from '../platform/db/partitions.ts'
import type { HttpApp } from '../platform/http/http-app.ts'
import type { JobHandler } from '../platform/jobs/outcome.ts'
import type { ListenAddress } from '../platform/net/listen-address.ts'
import type { ConsumerGroup } from '../platform/outbox/consumer-group.ts'
import type { Tool } from './tool.ts'

/** A server of a module's own, beside the public port. */
export type Listener = {
  /** The setting that its address comes from. */
  setting: string
  address: ListenAddress
  start(): Promise<{ host: string; port: number; close(): Promise<void> }>
}

/** Parts that a module plugs in; each module's `module.ts` is its table of contents. */
export type Module = {
  /** Hooks it puts in front of every route, of whatever module. Runs after the guards and before any `routes`. */
  beforeRoutes?: (app: HttpApp) => void
  routes?: (app: HttpApp) => void
  /** Acts on its things that agents have, over its routes. */
  tools?: readonly Tool[]
  consumers?: readonly ConsumerGroup[]
  /** Jobs it runs; those with `everySeconds` are its schedules. */
  jobs?: readonly JobHandler[]
  /** Its tables that are partitioned by time: partitions ahead are made at the start and once an hour, old ones dropped. */
  partitions?: readonly ExpiringTable[]
  /** Needs it still has of rows that have expired, in its own tables and in those of others. */
  needs?: readonly PartitionNeed[]
  /** Listeners it has in processes that answer requests. */
  listeners?: readonly Listener[]
  /** Ends what it keeps open, recorders and loops above all. Runs at the stop, before the pools are ended. */
  close?: () => Promise<void>
}
