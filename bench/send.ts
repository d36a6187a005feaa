import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import nodemailer from 'nodemailer'
import { send } from '../test/support/http-client.ts'
import { type Instance, startInstance, until } from '../test/support/instance.ts'
import { cpuUseOf, cpuUseText } from './cpu-use.ts'
import { withDatabase } from './instance-database.ts'
import { limitText, type Rate, ratioLine } from './measure.ts'
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts'

const RECIPIENTS = 20_000
const CEILING_MS = 3_000
const POOL_MESSAGES = 3_000
const POOL_CONNECTIONS = 10
const GOAL_CEILING = 0.45
const GOAL_POOL = 2.5
const GOAL_RSS_MB = 350
const BYTES_PER_MB = 1_000_000
const LIMIT_MS = 600_000
const DOMAIN = 'postroom.localhost'

/** A broadcast of personalised, signed, tracked 30 KB messages against RSA's ceiling and nodemailer's pool: [recipients] */
export async function run([recipients]: readonly string[] = []): Promise<void> {
  const count = Number(recipients ?? RECIPIENTS)
  const sink = await startSmtpSink()
  const instance = await startInstance()
  try {
    const ceiling = { perSecond: signaturesPerSecond(), unit: 'signatures' }
    console.log(`RSA-2048: ${Math.round(ceiling.perSecond)} signatures/s on one core`)
    await storeContacts(instance, count)
    const integrationId = await storeIntegration(instance, sink.port)
    const sent = await broadcast(instance, sink, { count, integrationId })
    const pool = await poolPerSecond(sink)
    console.log(ratioLine('broadcast', sent, { name: "one core's signatures", ...ceiling, goal: GOAL_CEILING }))
    console.log(ratioLine('broadcast', sent, { name: "nodemailer's pool with DKIM", ...pool, goal: GOAL_POOL }))
    const rssMb = (await instance.rssBytes()) / BYTES_PER_MB
    console.log(`memory: ${limitText(rssMb, GOAL_RSS_MB, 'MB resident')}`)
  } finally {
    await instance.stop()
    await sink.close()
  }
}

function signaturesPerSecond(): number {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })
  const key: KeyObject = privateKey
  const text = Buffer.alloc(500, 'x')
  const startedMs = performance.now()
  let signatures = 0
  while (performance.now() - startedMs < CEILING_MS) {
    for (let n = 0; n < 50; n++) sign('sha256', text, key)
    signatures += 50
  }
  return (signatures * 1_000) / (performance.now() - startedMs)
}

/** The body that everybody gets: paragraphs, ten links, four fields of the person's own. */
function body(): string {
  const paragraph = `<mj-text>Dear {{ first_name }} {{ last_name }} of {{ city }}, ${'lorem ipsum dolor sit amet '.repeat(12)}</mj-text>`
  const link = (n: number) => `<mj-button href="https://shop.example/offer/${n}?plan={{ plan }}">Offer ${n}</mj-button>`
  const parts = Array.from({ length: 10 }, (_, n) => `${paragraph}${link(n)}`).join('')
  const footer = '<mj-text><a href="{{ unsubscribe_url }}">Unsubscribe</a></mj-text>'
  return `<mjml><mj-body><mj-section><mj-column>${parts}${footer}</mj-column></mj-section></mj-body></mjml>`
}

async function storeContacts(instance: Instance, count: number, from = 0): Promise<void> {
  await withDatabase(instance, async (client) => {
    await client.query(
      `insert into contacts (workspace_id, email, first_name, last_name, custom_fields)
       select 1, 'person-' || n || '@example.com', 'Ada ' || n, 'Lovelace', '{"plan":"pro","city":"Paris"}'
       from generate_series($1::int, $2::int) n`,
      [from + 1, from + count],
    )
    await client.query('analyze contacts')
  })
}

async function call(instance: Instance, method: string, path: string, json?: unknown) {
  const answer = await send(method, `${instance.baseUrl}/api${path}`, {
    token: instance.token,
    ...(json ? { json } : {}),
  })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.json)}`)
  return answer.json
}

/** The sink as an integration, and a domain whose key counts as published. */
async function storeIntegration(instance: Instance, port: number): Promise<string> {
  const config = { kind: 'smtp', host: '127.0.0.1', port, tls: 'none', from: `news@${DOMAIN}` }
  const { id } = await call(instance, 'POST', '/integrations', { name: 'Sink', config })
  await withDatabase(instance, (client) => client.query('update sending_domain_keys set verified_at = now()'))
  return id
}

async function draft(instance: Instance, integrationId: string): Promise<string> {
  const given = { name: 'Benchmark', subject: 'Hello {{ first_name }}', body: body(), integrationId }
  const { id } = await call(instance, 'POST', '/broadcasts', given)
  await call(instance, 'PUT', `/broadcasts/${id}/audience`, { segmentId: null })
  return id
}

type Broadcast = { count: number; integrationId: string }

async function broadcast(instance: Instance, sink: SmtpSink, { count, integrationId }: Broadcast): Promise<Rate> {
  const id = await draft(instance, integrationId)
  await sink.reset()
  const before = await cpuUseOf(instance)
  await call(instance, 'POST', `/broadcasts/${id}/send`)
  const taken = await sink.take(count, LIMIT_MS)
  console.log(`CPU time a message: ${cpuUseText(before, await cpuUseOf(instance), count)}`)
  await until(
    'the broadcast adds up',
    async () => {
      const report = await call(instance, 'GET', `/broadcasts/${id}/report`)
      return report.status === 'sent' && report.acceptedCount === count
    },
    LIMIT_MS,
  )
  if (taken.count !== count || taken.signed !== count) throw new Error(`${taken.count} taken, ${taken.signed} signed`)
  console.log(`${count} messages of ${Math.round(taken.bytes / count / 1_000)} KB, each once, each signed`)
  return { perSecond: (count * 1_000) / (taken.lastAtMs - taken.firstAtMs), unit: 'messages' }
}

/** nodemailer's own pool with its DKIM, the same size of message, into the same sink. */
async function poolPerSecond(sink: SmtpSink): Promise<Rate> {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
  createPrivateKey(privateKey)
  const transport = nodemailer.createTransport({
    ...{ host: '127.0.0.1', port: sink.port, secure: false, ignoreTLS: true, pool: true },
    ...{ maxConnections: POOL_CONNECTIONS, maxMessages: Number.POSITIVE_INFINITY },
    dkim: { domainName: DOMAIN, keySelector: 'test', privateKey },
  })
  const html = `<p>${'lorem ipsum dolor sit amet '.repeat(1_100)}</p>`
  await sink.reset()
  const mails = Array.from({ length: POOL_MESSAGES }, (_, n) =>
    transport.sendMail({
      from: `news@${DOMAIN}`,
      to: `person-${n}@example.com`,
      subject: `Hello ${n}`,
      html,
      text: 'Hello',
    }),
  )
  await Promise.all(mails)
  transport.close()
  const taken = await sink.take(POOL_MESSAGES, LIMIT_MS)
  return { perSecond: (taken.count * 1_000) / (taken.lastAtMs - taken.firstAtMs), unit: 'messages' }
}
