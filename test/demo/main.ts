import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { startInstance } from '../support/instance.ts'
import { createEndpoint, deleteEndpoint, type Target } from './api-client.ts'
import { realEvents, spoiledEvents } from './offered-events.ts'
import { faultsOf, reckon } from './reckoning.ts'
import { replay } from './replay.ts'
import { report } from './report.ts'
import { startVerifyingReceiver } from './verifying-receiver.ts'

const USAGE = `usage: npm run demo [-- options]

Replays the real payloads of GitHub's webhooks (@octokit/webhooks-examples) as events, receives what Postroom delivers of
them, verifies every signature, turns some deliveries away to see them again, and says what became of all. Exits with 1
if anything is missing or doubled.

By itself it starts an instance for the time of the demo. For one that is running (on this machine, started with
WEBHOOK_ALLOW_NETWORKS=127.0.0.0/8, or it refuses to deliver to loopback):
  --url <address>        such as http://localhost:3000
  --token <token>        API token with events:write, webhooks:read and webhooks:write
  --email <address>      of somebody who may change webhooks: the dashboard shows them the signing secret
  --password <password>
  --workspace <slug>     default: default

  --keep                 when done, keep everything running to look around, until Ctrl-C
  --help
`

const LOOK_FURTHER = `Look further: npm run demo -- --keep leaves it all running, with API reference and delivery log.
`

const options = readOptions()
process.exitCode = options === undefined ? 2 : await demo(options)

type Options = NonNullable<ReturnType<typeof readOptions>>

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        url: { type: 'string' },
        token: { type: 'string' },
        email: { type: 'string' },
        password: { type: 'string' },
        workspace: { type: 'string', default: 'default' },
        keep: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
    return values
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`)
    return undefined
  }
}

/** Answers the exit code. */
async function demo(options: Options): Promise<number> {
  if (options.help) {
    console.log(USAGE)
    return 0
  }
  const interrupted = new AbortController()
  process.on('SIGINT', () => interrupted.abort())
  console.log('\nPostroom demo: real GitHub webhook payloads in, signed webhooks out\n')
  try {
    if (options.url) return await runOn(givenTarget(options), options, interrupted.signal)
    const instance = await startInstance({ env: { WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' } })
    try {
      return await runOn({ ...instance, workspace: 'default' }, options, interrupted.signal)
    } finally {
      await instance.stop()
    }
  } catch (error) {
    const { message, cause } = error as Error
    console.error(interrupted.signal.aborted ? 'Interrupted.' : [message, (cause as Error)?.message ?? ''].join(' '))
    return 1
  }
}

async function runOn(target: Target, options: Options, signal: AbortSignal): Promise<number> {
  const receiver = await startVerifyingReceiver()
  try {
    const endpointId = await createEndpoint(target, receiver.url)
    try {
      const runId = `demo-${randomBytes(4).toString('hex')}`
      const [real, spoiled] = [realEvents(runId), spoiledEvents(runId)]
      const events = [...real, ...spoiled]
      console.log(
        `Events    ${real.length} payloads of @octokit/webhooks-examples, and ${spoiled.length} spoiled on purpose`,
      )
      console.log(`Service   ${target.baseUrl}`)
      console.log(`Receiver  ${receiver.url}, webhook endpoint ${endpointId}\n`)
      const replayed = await replay(target, { events, receiver, endpointId, signal })
      const reckoning = reckon(replayed)
      console.log(report(replayed, reckoning))
      console.log(options.keep ? lookAround(target, endpointId) : LOOK_FURTHER)
      if (options.keep && !signal.aborted) await once(signal, 'abort')
      return faultsOf(reckoning) === 0 ? 0 : 1
    } finally {
      // Nobody will answer there any more. An instance of our own goes with its endpoint.
      if (options.url) await deleteEndpoint(target, endpointId)
    }
  } finally {
    await receiver.close()
  }
}

function givenTarget({ url, token, email, password, workspace }: Options): Target {
  if (url === undefined || token === undefined || email === undefined || password === undefined) {
    throw new Error('--url needs --token, --email and --password beside it.')
  }
  return { baseUrl: url.replace(/\/$/, ''), token, email, password, workspace }
}

function lookAround({ baseUrl, token }: Target, endpointId: string): string {
  const log = `${baseUrl}/api/webhooks/${endpointId}/deliveries`
  return [
    'Look around, until Ctrl-C ends it all',
    `  API reference  ${baseUrl}/docs`,
    `  Delivery log   curl -s '${log}?limit=5' -H 'Authorization: Bearer ${token}'`,
    `  One delivery   curl -s '${log}/<id>' -H 'Authorization: Bearer ${token}'`,
    '',
  ].join('\n')
}
