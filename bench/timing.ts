import { randomBytes } from 'node:crypto'
import { Client } from 'undici'
import { type Instance, startInstance } from '../test/support/instance.ts'
import { zOfRanks } from './rank-test.ts'

const SAMPLES = 1_000
const KNOWN = 500
const WARM_UP = 100
/** Of a two-sided rank test: one run in 16,000 would say so by chance. */
const Z_MAX = 4
/** A form may be sent two seconds after it was shown. */
const READ_MS = 2_100
const PAGE = { origin: 'https://shop.example', 'content-type': 'text/plain;charset=UTF-8' }
const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'

type Ask = (email: string, n: number) => { path: string; body: string }

/** whether answers to a page that names somebody take longer for addresses that are known: a rank test of identify and of forms */
export async function run([samples = String(SAMPLES)]: readonly string[]): Promise<void> {
  const limits = { RATE_LIMIT_API: '0', RATE_LIMIT_COLLECT: '0', RATE_LIMIT_COLLECT_IP: '0', RATE_LIMIT_IDENTIFY: '0' }
  const instance = await startInstance({ env: { ...limits, TRUST_PROXY: 'true' } })
  try {
    const emails = Array.from({ length: KNOWN }, (_, n) => `known-${String(n).padStart(8, '0')}@example.com`)
    await api(instance, '/contacts/batch', { contacts: emails.map((email) => ({ email })) })
    for (const [name, ask] of Object.entries(await asks(instance))) {
      await compare(instance, { name, ask, emails, samples: Number(samples) })
    }
  } finally {
    await instance.stop()
  }
}

/** Bodies as pages send them, of one length whoever is in them. */
async function asks(instance: Instance): Promise<Record<string, Ask>> {
  const { items } = await api(instance, '/trackers')
  const form = { name: 'Timing', consentWording: 'Once a month.', fields: [{ field: 'email' }], challenge: 'off' }
  const { key } = await api(instance, '/forms', form)
  const path = `/collect/forms/${key}`
  const { renderToken } = (await (await fetch(instance.baseUrl + path)).json()) as { renderToken: string }
  await new Promise((go) => setTimeout(go, READ_MS))
  return {
    'POST /collect/identify': (email) => ({
      path: '/collect/identify',
      body: JSON.stringify({
        key: items[0]!.key,
        visitorId: randomBytes(16).toString('hex'),
        consent: 'granted',
        email,
      }),
    }),
    'POST /collect/forms': (email) => ({ path, body: JSON.stringify({ renderToken, email }) }),
  }
}

type Compared = { name: string; ask: Ask; emails: readonly string[]; samples: number }

/** Known and unknown addresses by turns, in pairs whose order is drawn, so that whatever else the machine does meets both alike. */
async function compare(instance: Instance, { name, ask, emails, samples }: Compared): Promise<void> {
  const client = new Client(instance.baseUrl)
  const times = { known: [] as number[], unknown: [] as number[] }
  let made = 0
  const one = async (kind: keyof typeof times, keeps: boolean) => {
    made += 1
    const email =
      kind === 'known' ? emails[made % emails.length]! : `other-${String(made).padStart(8, '0')}@example.com`
    const { path, body } = ask(email, made)
    const headers = {
      ...PAGE,
      'user-agent': CHROME,
      'x-forwarded-for': `10.${made >> 16}.${(made >> 8) & 255}.${made & 255}`,
    }
    const startedMs = performance.now()
    const { statusCode, body: answer } = await client.request({ method: 'POST', path, headers, body })
    await answer.dump()
    if (keeps) times[kind].push(performance.now() - startedMs)
    if (statusCode >= 300) throw new Error(`${name} answered ${statusCode}`)
  }
  try {
    for (let n = 0; n < samples + WARM_UP; n++) {
      const first = Math.random() < 0.5 ? 'known' : 'unknown'
      await one(first, n >= WARM_UP)
      await one(first === 'known' ? 'unknown' : 'known', n >= WARM_UP)
    }
  } finally {
    await client.destroy()
  }
  const z = zOfRanks(times.known, times.unknown)
  const [known, unknown] = [median(times.known), median(times.unknown)]
  const told = Math.abs(z) > Z_MAX
  console.log(
    `${name}: median ${known.toFixed(3)} ms of known addresses, ${unknown.toFixed(3)} of others, ${samples} of each`,
  )
  console.log(
    `  rank test: z ${z.toFixed(2)}, goal within ±${Z_MAX}${told ? ' MISSED: the time tells who is known' : ''}`,
  )
  if (told) process.exitCode = 1
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!

async function api({ baseUrl, token }: Instance, path: string, json?: object) {
  const answer = await fetch(`${baseUrl}/api${path}`, {
    method: json ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(json && { body: JSON.stringify(json) }),
  })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as { key: string; items: { key: string }[] }
}
