import { wakeLanes } from '../../platform/lanes/wake-lanes.ts'
import type { ConsumerGroup } from '../../platform/outbox/consumer-group.ts'
import { planAnew } from '../../platform/outbox/plans.ts'
import { IN_RANGE, queryRange } from '../../platform/outbox/range.ts'
import { MAKE_DELIVERIES } from './delivery-body.ts'
import { DISPATCHING_GROUP, deferFanOuts } from './fan-out-webhooks.ts'
import { type Lane, WEBHOOK_LANES } from './lanes.ts'

/**
 * Makes a delivery of each event for each endpoint that wants it, with the bytes every attempt will sign, and sees to it
 * that each endpoint's lane gets a turn. An endpoint paused by its owner collects; one the system switched off does not.
 * Workspaces that want very many at once get theirs from a job of their own (fan-out-webhooks.ts).
 */
export const dispatchWebhooks: ConsumerGroup = {
  group: DISPATCHING_GROUP,
  handler: 'dispatch_webhooks',
  reach: 'database',
  async handle(tx, range) {
    const deferred = await deferFanOuts(tx, range)
    const statement =
      deferred.length === 0
        ? { name: 'dispatch_webhooks', text: DISPATCH }
        : { name: 'dispatch_webhooks_but', text: DISPATCH_BUT, values: [deferred] }
    const { rows } = await queryRange<Lane>(tx, range, statement)
    if (rows.length === 0) return
    planAnew(tx)
    await wakeLanes(tx, WEBHOOK_LANES, rows)
  },
}

const DISPATCH = `with ${MAKE_DELIVERIES(`(select * from ${IN_RANGE})`)}`
const DISPATCH_BUT = `with ${MAKE_DELIVERIES(`(select * from (select * from ${IN_RANGE}) l where workspace_id <> all ($6::bigint[]))`)}`
