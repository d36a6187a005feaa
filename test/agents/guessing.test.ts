import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { AGENT_OPERATIONS } from '../../server/modules/mcp/agent-operations.ts'
import { OPERATORS } from '../../server/modules/segments/rule-fields.ts'
import { type Json, run } from '../support/agent-client.ts'
import { eventually } from '../support/eventually.ts'
import { HOSTILE_ORDERS } from '../support/hostile-orders.ts'
import { send } from '../support/http-client.ts'
import { startSmtpPeer } from '../support/smtp-peer.ts'
import { startTestedInstance } from '../support/tested-instance.ts'

/*
 * An agent sees `k***@masked.example`. Whatever it asks, a right guess of what is masked is answered as a wrong one is; and what
 * strangers have written stands below `untrusted`, wherever they wrote it.
 */

const instance = await startTestedInstance()
after(() => instance.close())
const { baseUrl, token } = instance
const client = new Client({ name: 'Guesser', version: '1' }, { versionNegotiation: { mode: { pin: '2026-07-28' } } })
const requestInit = { headers: { authorization: `Bearer ${await instance.makeToken()}` } }
await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit }))
after(() => client.close())

const api = async (method: string, path: string, json?: object) => {
  const answer = await send(method, `${baseUrl}/api${path}`, { token, ...(json && { json }) })
  assert.ok(answer.status < 300, answer.text)
  return answer.json
}

const ADDRESS = 'kassandra.q7@masked.example'
await api('PUT', '/contacts', {
  ...{ email: ADDRESS, phone: '+44 20 7946 0123', subjectId: ADDRESS, lastName: `Quell ${ADDRESS}` },
  customFields: { mail: ADDRESS },
})
await api('PUT', '/contacts', { email: 'zoe@masked.example', lastName: 'Quellen', customFields: { mail: 'none' } })
await api('POST', '/events', { events: [{ action: 'login', email: ADDRESS, properties: { mail: ADDRESS } }] })
await eventually(
  'the event is stored',
  async () => (await instance.sql(`select from events where name = 'login'`)).length > 0,
)

/** The answer of a tool or its refusal, without what differs by itself. */
async function told(name: string, input: object): Promise<string> {
  const { content } = await client.callTool({ name, arguments: { ...input } })
  return (content as { text: string }[]).map(({ text }) => text).join('')
}
const call = (operationId: string, given: object) => told('api_call', { operationId, dryRun: false, ...given })

/** A right guess and a wrong one of the same length. */
const ADDRESSES = ['kassandra.q7', 'kassandra.q8'] as const
const NUMBERS = ['+44 20 7946 01', '+44 20 7946 09'] as const
const inWords = (answer: string) =>
  [...ADDRESSES, ...NUMBERS]
    .reduce((text, guess) => text.replaceAll(guess, 'GUESS'), answer)
    .replaceAll(/"(?:id|segmentId|createdAt|updatedAt|requestId)":"[^"]*"/g, '""')

async function isNoAnswer(
  ask: (guess: string) => Promise<string>,
  what: string,
  [right, wrong]: readonly [string, string] = ADDRESSES,
): Promise<void> {
  assert.equal(inWords(await ask(right)), inWords(await ask(wrong)), what)
}

type Described = { type?: string; enum?: string[]; pattern?: string; format?: string; anyOf?: unknown }
const isFreeText = ({ type, enum: words, pattern, format }: Described) =>
  type === 'string' && words === undefined && pattern === undefined && format === undefined

const definitionOf = (rules: object[], combinator = 'and') => JSON.stringify({ combinator, rules })
const NEGATED = /^(?:!=|not|doesNot)/
const FIELDS = ['subjectId', 'subject_id', 'last_name', 'custom:mail']

/** Every operator there is with a guess, as a rule of each field: those of which one is enough, and those that all have to hold. */
function rulesWith(guess: string, ask: (operator: string, value: unknown) => object[]): [string, string] {
  const rules = (isNegated: boolean) =>
    OPERATORS.text
      .filter((operator) => !ORDER.has(operator) && NEGATED.test(operator) === isNegated)
      .flatMap((operator) => ask(operator, operator === 'null' ? '' : guess))
  return [definitionOf(rules(false), 'or'), definitionOf(rules(true))]
}
const ORDER: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', 'between', 'notBetween', 'null', 'notNull'])

describe('a right guess is answered as a wrong one', () => {
  test('by rules about texts that hold an address, of contacts and of events, also as text within text', async () => {
    const asks: ((operator: string, value: unknown) => object[])[] = [
      (operator, value) => FIELDS.map((field) => ({ field, operator, value })),
      (operator, value) =>
        [true, false].map((asText) => {
          const where = { where: [{ property: 'mail', operator, value }] }
          return { field: 'event:login', operator: 'performed', value: asText ? JSON.stringify(where) : where }
        }),
    ]
    for (const ask of asks) {
      await isNoAnswer(async (guess) => {
        const told = []
        for (const definition of rulesWith(guess, ask))
          told.push(await call('Segments_preview', { body: { definition } }))
        return told.join('')
      }, 'rules')
    }
  })

  test('by rules about addresses and numbers, and by segments made of rules', async () => {
    for (const [field, guesses] of [
      ['email', ADDRESSES],
      ['phone', NUMBERS],
    ] as const) {
      for (const operator of ['beginsWith', '>']) {
        const rule = (value: string) => ({ not: true, rules: [{ field, operator, value }] })
        await isNoAnswer(
          (guess) => told('segment_preview', { definition: definitionOf([rule(guess)]) }),
          field,
          guesses,
        )
      }
    }
    const members = async (guess: string) => {
      const definition = definitionOf([{ field: 'custom:mail', operator: 'contains', value: guess }])
      const { id } = JSON.parse(await told('segment_save', { name: guess, definition })) as Json
      return (
        (await told('contacts_search', { segmentId: id })) + (await call('Contacts_list', { query: { segmentId: id } }))
      )
    }
    await isNoAnswer(members, 'a segment')
  })

  test('by every text that a tool takes without more', async () => {
    const { tools } = await client.listTools()
    for (const { name, inputSchema, annotations } of tools) {
      const isWithoutMore = (inputSchema.required ?? []).length === 0
      if (!annotations?.readOnlyHint || !isWithoutMore || name.startsWith('api_')) continue
      for (const [field, { type }] of Object.entries(inputSchema.properties ?? {}) as [string, { type?: string }][]) {
        if (type === 'string') await isNoAnswer((guess) => told(name, { [field]: guess }), `${name} ${field}`)
      }
    }
  })

  test('by every text in the query of every operation, and by no order', async () => {
    const { paths } = await api('GET', '/openapi.json')
    const asked: string[] = []
    for (const methods of Object.values(paths) as Record<string, Json>[]) {
      for (const { operationId, parameters = [] } of Object.values(methods) as {
        operationId: string
        parameters?: Json[]
      }[]) {
        if (!AGENT_OPERATIONS.has(operationId)) continue
        const params = Object.fromEntries(
          parameters.filter(({ in: at }) => at === 'path').map((one) => [one.name, '1']),
        )
        for (const { name, in: at, schema } of parameters as {
          name: string
          in: string
          schema: { enum?: string[] }
        }[]) {
          if (at !== 'query' || (name !== 'sort' && !isFreeText(schema))) continue
          asked.push(`${operationId} ${name}`)
          if (name !== 'sort') {
            await isNoAnswer(
              (guess) => call(operationId, { params, query: { [name]: guess } }),
              `${operationId} ${name}`,
            )
            continue
          }
          for (const order of schema.enum ?? []) {
            const answer = await call(operationId, { params, query: { sort: order } })
            assert.equal(/masked-address/.test(answer), /email/.test(order), `${operationId} ${order}`)
          }
        }
      }
    }
    assert.ok(asked.includes('Contacts_list search') && asked.includes('Contacts_list sort'), String(asked))
  })

  test('by the rules of a draft', async () => {
    const draft = (rule: object, where: object[] = []) =>
      call('Automations_create', {
        body: {
          name: 'Guess',
          definition: {
            ...{ format: 1, enter: { on: [{ event: 'login', where }], if: JSON.parse(definitionOf([rule])) } },
            ...{ start: 't', nodes: { t: { type: 'tag', add: ['guessed'], to: 'end' } } },
          },
        },
      })
    assert.match(await draft({ field: 'email', operator: 'beginsWith', value: 'kassa' }), /masked-address/)
    const where = [{ property: 'mail', operator: 'beginsWith', value: 'kassa' }]
    await draft({ field: 'custom:mail', operator: 'beginsWith', value: 'kassa' }, where)
    const [{ draft: kept }] = (await instance.sql<{ draft: string }>('select draft::text from automations')) as [
      { draft: string },
    ]
    assert.equal(kept.split('doesNotContain').length, 3, kept)
  })
})

test('whole addresses, domains, names and other texts are found as ever', async () => {
  const found = async (input: object) => (JSON.parse(await told('contacts_search', input)) as { total: number }).total
  assert.deepEqual(
    await Promise.all(
      [ADDRESS, ADDRESS.toUpperCase(), 'quell', 'QUELLEN', 'zoe@masked.example'].map((search) => found({ search })),
    ),
    [1, 1, 1, 1, 1],
  )
  const count = async (...rules: object[]) =>
    (JSON.parse(await told('segment_preview', { definition: definitionOf(rules) })) as { count: number }).count
  assert.equal(await count({ field: 'email', operator: 'endsWith', value: '@masked.example' }), 2)
  assert.equal(await count({ field: 'email', operator: 'in', value: [ADDRESS, 'x@y.example'] }), 1)
  assert.equal(await count({ field: 'custom:mail', operator: 'contains', value: 'non' }), 1)
  assert.equal(await count({ field: 'createdAt', operator: '>', value: '2020-01-01' }), 2)
})

describe('sixty orders of strangers', () => {
  /** Each string of a result with the keys on its way, keys among them. */
  function* strings(value: unknown, way: readonly string[] = []): Generator<{ text: string; way: readonly string[] }> {
    if (typeof value === 'string') yield { text: value, way }
    if (typeof value !== 'object' || value === null) return
    for (const [key, item] of Object.entries(value)) {
      yield { text: key, way }
      yield* strings(item, [...way, key])
    }
  }
  const CHROME = {
    ...{ 'content-type': 'text/plain;charset=UTF-8', 'sec-fetch-mode': 'cors' },
    'user-agent':
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
  }
  /** As much of an order as a field takes, without half a character. */
  const first = (chars: number, order: string) => [...order].slice(0, chars).join('')
  const oneLine = (chars: number, order: string) => first(chars, order.replaceAll(/\p{Cc}+/gu, ' ')).trim()
  /** Names of events have no characters that nobody sees. */
  const named = (order: string) => oneLine(90, order.replaceAll(/\p{Cf}+/gu, ''))
  const addressOf = (n: number) => `pwn${n}.person@pwn${n}.example`
  const MAILED = 20

  /** A stranger writes each of them into every field there is. */
  async function written(): Promise<void> {
    const contacts = HOSTILE_ORDERS.map((order, n) => ({
      ...{ email: addressOf(n), firstName: oneLine(100, order), lastName: oneLine(100, order) },
      ...{ subjectId: oneLine(200, order), phone: `+49 30 55500${String(n).padStart(3, '0')}` },
      tags: [oneLine(90, order)],
      customFields: { [oneLine(60, order)]: order, [`pwn_list_${n}`]: [order] },
    }))
    const made = await api('POST', '/contacts/batch', { contacts })
    assert.equal(made.failed ?? 0, 0, JSON.stringify(made))
    const events = HOSTILE_ORDERS.map((order, n) => ({
      ...{ action: `pwn ${named(order)}`, email: addressOf(n) },
      properties: { [first(40, order)]: order, nested: { [first(70, order)]: [order] } },
    }))
    await api('POST', '/events', { events })
    const { key } = await api('POST', '/trackers', { name: 'Shop', consentMode: 'implied' })
    const seen = HOSTILE_ORDERS.map((order, n) => ({
      ...{
        id: `pwn-${n}`,
        action: `page ${named(order)}`,
        properties: { title: order, [first(40, order)]: 1 },
      },
      context: { url: `https://shop.example/?${encodeURIComponent(order)}`, title: order, referrer: order },
    }))
    const visitor = { visitorId: '0f8b2c6de1a94f0bb1f0c3d2e4a59687', consent: 'granted' }
    const body = JSON.stringify({ key, sentAt: new Date().toISOString(), ...visitor, events: seen })
    const collected = await send('POST', `${baseUrl}/collect/events`, { headers: CHROME, body })
    assert.equal(collected.status, 204, collected.text)
  }

  /** Mail servers say them as well, in the words of a refusal. */
  async function refusedByServers(): Promise<readonly string[]> {
    const server = await startSmtpPeer({
      authOptional: true,
      onRcptTo({ address }, _session, done) {
        const order = HOSTILE_ORDERS[Number(/^pwn(\d+)/.exec(address)?.[1])] ?? ''
        done(Object.assign(new Error(oneLine(300, order)), { responseCode: 550 }))
      },
    })
    after(() => server.close())
    await api('POST', '/sending-domains', { domain: 'relay.example' })
    await instance.sql('update sending_domain_keys set verified_at = now()')
    const config = { kind: 'smtp', host: '127.0.0.1', port: server.port, tls: 'none', from: 'shop@relay.example' }
    await api('POST', '/integrations', { name: 'Relay', isDefault: true, config })
    for (let n = 0; n < MAILED; n++)
      await api('POST', '/emails', { destination: addressOf(n), subject: 'Receipt', text: 'Thanks.' })
    await eventually('each is refused', async () => {
      const [row] = await instance.sql<{ n: number }>(`select count(*)::int as n from messages where state = 'failed'`)
      return row!.n === MAILED
    })
    return server.messages
  }

  test('stand below untrusted, harmless and masked, wherever they were written, and mail nobody', async () => {
    assert.equal(new Set(HOSTILE_ORDERS).size, 60)
    await written()
    const taken = await refusedByServers()
    await eventually('the events are stored', async () => {
      const [stored] = await instance.sql<{ n: string }>(
        `select count(*) as n from events where name like 'pwn %' or name like 'page %'`,
      )
      return stored!.n === '120'
    })
    const ids: string[] = []
    const results: unknown[] = []
    const tell = async (name: string, input: object = {}) => {
      const result = await run(client, name, input)
      results.push(result)
      return result
    }
    for (const page of [1, 2, 3])
      ids.push(...((await tell('contacts_search', { limit: 30, page })).items as { id: string }[]).map(({ id }) => id))
    for (let cursor: unknown = '', turns = 0; cursor !== undefined && turns < 20; turns++)
      cursor = (await tell('events_recent', { limit: 50, ...(cursor === '' ? {} : { cursor }) })).nextCursor
    for (const name of [
      'segment_preview',
      'workspace_overview',
      'deliverability_report',
      'segments_list',
      'templates_list',
    ])
      await tell(name)
    const around = '{{ email | replace: "@", " at " }} {{ email | split: "@" | first }} {{ email | base64_encode }}'
    for (const [n, contactId] of ids.entries()) {
      await tell('contact_get', { contactId })
      if (n % 3 === 0) await tell('message_explain', { contactId })
      if (n % 6 !== 0) continue
      await tell('events_recent', { contactId })
      await tell('template_preview', { body: `<p>{{ first_name }} ${around}</p>`, contactId })
    }
    const reads = [...AGENT_OPERATIONS].filter((id) =>
      /^(Contacts|Contact[A-Z]|Messages|Events|Tags|CustomFields|Suppressions|Overview)\w*_(list|get|count|explain)/.test(
        id,
      ),
    )
    assert.ok(reads.length >= 12, String(reads))
    for (const operationId of reads)
      for (const id of ids.slice(-3))
        await told('api_call', { operationId, params: { id, contactId: id }, dryRun: false }).then((text) =>
          results.push(JSON.parse(text)),
        )
    const found = new Set<string>()
    for (const result of results) {
      for (const { text, way } of strings(result)) {
        const isInside = way.includes('untrusted')
        for (const [mark] of text.matchAll(/PWN\d+/g)) found.add(mark)
        if (/pwn/i.test(text)) assert.ok(isInside, `${way.join('.')}: ${text}`)
        if (!isInside) continue
        assert.doesNotMatch(text, /[\p{Cc}\p{Cf}]|:\/\/|\]\(/u)
        assert.doesNotMatch(text, /[a-z0-9]{2,}@|55500|\.person\b|cHdu/i)
        assert.ok(text.length <= 6_001)
      }
      assert.ok(JSON.stringify(result).length <= 20_000 + 100)
    }
    assert.equal(found.size, 60, [...found].join())
    const [mails] = await instance.sql<{ n: number }>(
      'select ((select count(*) from messages) + (select count(*) from system_mails))::int as n',
    )
    assert.equal(mails!.n, MAILED)
    assert.deepEqual(taken, [])
  })
})
