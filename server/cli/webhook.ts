import { Command } from 'commander'
import { commandEndpoints } from '../compose.ts'
import { secretsOf } from '../modules/webhooks/endpoint-secrets.ts'
import {
  listDeliveries,
  recoverDeliveries,
  resendDelivery,
  testEndpoint,
} from '../modules/webhooks/manage-deliveries.ts'
import { createEndpoint } from '../modules/webhooks/manage-endpoints.ts'
import { readEndpoint, readEndpoints } from '../modules/webhooks/read-endpoints.ts'
import { ALL_WORKSPACES, inTransaction } from '../platform/db/transaction.ts'
import { missing } from './command-error.ts'
import { listed, type Said } from './said.ts'
import { idShownBy, namesIn, sayingIn, time, type WorkspaceContext } from './saying.ts'

const SHOWN_MAX = 100

type OneEndpoint = { endpoint: string }

export function webhookCommand(): Command {
  const command = new Command('webhook').description('webhook endpoints and their deliveries')
  const one = (name: string, description: string) =>
    command.command(name).description(description).argument('<endpoint>', 'its id', idShownBy('webhook list'))

  sayingIn(command.command('list').description('list endpoints'), listEndpoints)
  sayingIn(
    command
      .command('create')
      .description('make an endpoint and print its signing secret')
      .argument('<url>', 'where events go')
      .option('--events <list>', 'names of events separated by commas; all without it', namesIn, [])
      .option('--secret <secret>', 'a signing secret of your own: whsec_ and base64 of 24 to 64 bytes'),
    createOne,
  )
  sayingIn(one('deliveries', 'show the last deliveries of an endpoint'), showDeliveries)
  sayingIn(
    one('resend', 'send a delivery again').argument('<delivery>', 'its id', idShownBy('webhook deliveries <endpoint>')),
    resendOne,
  )
  sayingIn(
    one('recover', 'deliver every event since a time that did not reach the endpoint').requiredOption(
      '--since <time>',
      'RFC 3339, such as 2026-11-21T00:00:00Z',
      time,
    ),
    recoverOne,
  )
  sayingIn(one('test', 'send a webhook.test event'), async (context, { endpoint }: OneEndpoint) => {
    const sent = testEndpoint(commandEndpoints(context), context.caller, endpoint)
    const { webhookId } = await sent.catch(missing(`endpoint ${endpoint}`))
    return { text: `The test event is queued as ${webhookId}.`, json: { webhookId } }
  })
  sayingIn(one('secret', 'print the signing secret'), async (context, { endpoint: id }: OneEndpoint) => {
    await readEndpoint(context.pools.sql, context.caller.workspaceId, id).catch(missing(`endpoint ${id}`))
    const secret = await secretOf(context, id)
    return { text: secret, json: { id, secret } }
  })
  return command
}

async function listEndpoints({ pools, caller }: WorkspaceContext): Promise<Said> {
  const { items, total } = await readEndpoints(pools.sql, caller.workspaceId, { page: 1, pageSize: SHOWN_MAX })
  const row = ({ id, url, eventTypes, enabled, disabledReason }: (typeof items)[number]) => ({
    id,
    url,
    events: eventTypes.length === 0 ? 'all' : eventTypes,
    state: enabled ? 'on' : disabledReason === null ? 'paused' : `off (${disabledReason})`,
  })
  return listed(items, { row, empty: 'No endpoints.', total })
}

type NewEndpoint = { url: string; events: string[]; secret?: string }

async function createOne(context: WorkspaceContext, { url, events, secret: own }: NewEndpoint): Promise<Said> {
  const body = { url, eventTypes: events, ...(own === undefined ? {} : { secret: own }) }
  const { id, enabled, ...made } = await createEndpoint(commandEndpoints(context), context.caller, body)
  const secret = await secretOf(context, id)
  return {
    text: `endpoint  ${id}\nsecret    ${secret}`,
    json: { id, url: made.url, eventTypes: made.eventTypes, enabled, secret },
  }
}

async function showDeliveries({ pools, caller }: WorkspaceContext, { endpoint }: OneEndpoint): Promise<Said> {
  const search = { workspaceId: caller.workspaceId, endpointId: endpoint, limit: SHOWN_MAX }
  const { items } = await listDeliveries({ sql: pools.sql }, search).catch(missing(`endpoint ${endpoint}`))
  const row = ({ id, eventType, state, attempts, ...last }: (typeof items)[number]) => ({
    ...{ id, event: eventType, state, attempts, status: last.lastStatus },
    ...{ error: last.lastError, next: last.nextAttemptAt, created: last.createdAt },
  })
  return listed(items, { row, empty: 'No deliveries.' })
}

async function resendOne(context: WorkspaceContext, { endpoint, delivery }: OneEndpoint & { delivery: string }) {
  const what = `delivery ${delivery} of endpoint ${endpoint}`
  const key = { endpointId: endpoint, id: delivery }
  await resendDelivery(commandEndpoints(context), context.caller, key).catch(missing(what))
  return { text: `Delivery ${delivery} is queued again.`, json: { id: delivery, endpointId: endpoint } }
}

async function recoverOne(context: WorkspaceContext, { endpoint, since }: OneEndpoint & { since: string }) {
  const recovery = recoverDeliveries(commandEndpoints(context), context.caller, { endpointId: endpoint, since })
  await recovery.catch(missing(`endpoint ${endpoint}`))
  return { text: 'The recovery is queued; a running worker carries it out.', json: { endpointId: endpoint, since } }
}

/** The secret that signs now. */
async function secretOf(context: WorkspaceContext, id: string): Promise<string> {
  const { secrets } = commandEndpoints(context)
  const key = { workspaceId: context.caller.workspaceId, id }
  const found = await inTransaction(context.pools.sql, ALL_WORKSPACES, (tx) => secretsOf(tx, secrets, key))
  return found!.secrets[0]!
}
