import { Command } from 'commander'
import { commandEndpoints } from '../compose.ts'
import type { Caller } from '../modules/auth/caller.ts'
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
import { operator } from './operator.ts'
import { type CommandContext, CommandError, missing, printTable, withDatabase, workspaceIdOf } from './with-database.ts'

const SHOWN_MAX = 100

type Options = { workspace: string }

export function webhookCommand(): Command {
  const command = new Command('webhook').description('webhook endpoints and their deliveries')
  const add = (usage: string, description: string) =>
    command.command(usage).description(description).option('--workspace <slug>', 'the workspace', 'default')

  add('list', 'list endpoints').action((options: Options) =>
    inWorkspace(options, async ({ pools }, caller) => {
      const { items, total } = await readEndpoints(pools.sql, caller.workspaceId, { page: 1, pageSize: SHOWN_MAX })
      const rows = items.map(({ id, url, eventTypes, enabled, disabledReason }) => ({
        id,
        url,
        events: eventTypes.length === 0 ? 'all' : eventTypes.join(','),
        state: enabled ? 'on' : disabledReason === null ? 'paused' : `off (${disabledReason})`,
      }))
      printTable(rows, 'No endpoints.')
      if (total > items.length) console.log(`… and ${total - items.length} more`)
    }),
  )
  add('deliveries <endpoint>', 'show the last deliveries of an endpoint').action((id: string, options: Options) =>
    inWorkspace(options, async ({ pools }, caller) => {
      const search = { workspaceId: caller.workspaceId, endpointId: idOf(id), limit: SHOWN_MAX }
      const { items } = await listDeliveries({ sql: pools.sql }, search).catch(missing(`endpoint ${id}`))
      const rows = items.map(({ id, eventType, state, attempts, lastStatus, lastError, nextAttemptAt, createdAt }) => ({
        id,
        event: eventType,
        state,
        attempts,
        status: lastStatus,
        error: lastError,
        next: nextAttemptAt,
        created: createdAt,
      }))
      printTable(rows, 'No deliveries.')
    }),
  )
  add('resend <endpoint> <delivery>', 'send a delivery again').action(
    (endpoint: string, delivery: string, options: Options) =>
      inWorkspace(options, async (context, caller) => {
        const key = { endpointId: idOf(endpoint), id: idOf(delivery) }
        await resendDelivery(commandEndpoints(context), caller, key).catch(
          missing(`delivery ${key.id} of endpoint ${key.endpointId}`),
        )
        console.log(`Delivery ${key.id} is queued again.`)
      }),
  )
  add('recover <endpoint>', 'deliver every event since a time that did not reach the endpoint')
    .requiredOption('--since <time>', 'RFC 3339, such as 2026-11-21T00:00:00Z')
    .action((endpoint: string, options: Options & { since: string }) =>
      inWorkspace(options, async (context, caller) => {
        if (Number.isNaN(Date.parse(options.since))) throw new CommandError(`--since is no time: ${options.since}`)
        const since = new Date(options.since).toISOString()
        await recoverDeliveries(commandEndpoints(context), caller, { endpointId: idOf(endpoint), since }).catch(
          missing(`endpoint ${endpoint}`),
        )
        console.log('The recovery is queued; a running worker carries it out.')
      }),
    )
  add('test <endpoint>', 'send a webhook.test event').action((endpoint: string, options: Options) =>
    inWorkspace(options, async (context, caller) => {
      const { webhookId } = await testEndpoint(commandEndpoints(context), caller, idOf(endpoint)).catch(
        missing(`endpoint ${endpoint}`),
      )
      console.log(`The test event is queued as ${webhookId}.`)
    }),
  )
  add('create <url>', 'make an endpoint and print its signing secret')
    .option('--events <list>', 'names of events separated by commas; all without it')
    .option('--secret <secret>', 'a signing secret of your own: whsec_ and base64 of 24 to 64 bytes')
    .option('--json', 'print it as JSON')
    .action((url: string, options: Options & { events?: string; secret?: string; json?: true }) =>
      inWorkspace(options, async (context, caller) => {
        const eventTypes = (options.events ?? '').split(',').flatMap((name) => name.trim() || [])
        const body = { url, eventTypes, ...(options.secret === undefined ? {} : { secret: options.secret }) }
        const made = await createEndpoint(commandEndpoints(context), caller, body)
        const secret = await secretOf(context, { workspaceId: caller.workspaceId, id: made.id })
        const { id, enabled } = made
        if (options.json) console.log(JSON.stringify({ id, url: made.url, eventTypes, enabled, secret }))
        else console.log(`endpoint  ${id}\nsecret    ${secret}`)
      }),
    )
  add('secret <endpoint>', 'print the signing secret').action((endpoint: string, options: Options) =>
    inWorkspace(options, async (context, caller) => {
      const key = { workspaceId: caller.workspaceId, id: idOf(endpoint) }
      await readEndpoint(context.pools.sql, key.workspaceId, key.id).catch(missing(`endpoint ${key.id}`))
      console.log(await secretOf(context, key))
    }),
  )
  return command
}

/** The secret that signs now. */
async function secretOf(
  context: CommandContext,
  key: { workspaceId: string; id: string },
): Promise<string | undefined> {
  const { secrets } = commandEndpoints(context)
  const found = await inTransaction(context.pools.sql, ALL_WORKSPACES, (tx) => secretsOf(tx, secrets, key))
  return found?.secrets[0]
}

function inWorkspace(
  options: Options,
  work: (context: CommandContext, caller: Caller) => Promise<void>,
): Promise<void> {
  return withDatabase(async (context) => {
    const workspaceId = await workspaceIdOf(context.pools.sql, options.workspace)
    await work(context, operator(workspaceId))
  })
}

function idOf(text: string): string {
  if (/^\d{1,18}$/.test(text)) return text
  throw new CommandError(`not an id: ${text}`)
}
