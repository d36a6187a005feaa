import { generateKeyPairSync, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { createTransport } from 'nodemailer'
import { composeMessage, type Draft } from '../server/platform/mail/compose-message.ts'
import { signMessage } from '../server/platform/mail/dkim-sign.ts'
import { wholeText } from '../server/platform/mail/mail-text.ts'
import { ratioLine } from './measure.ts'

const ROUNDS = 5
const MESSAGES_PER_ROUND = 300
const ROWS = 110

/**
 * Composing and signing personalised messages of 30 KB: main-thread time beside an RSA-2048 signature, and messages a
 * second beside nodemailer's composer with DKIM. Rounds of the three take turns, so that a busy machine slows all of them.
 */
export async function run(): Promise<void> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = { domain: 'news.example.com', selector: 'bench', privateKey }
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const foreign = createTransport({
    ...{ streamTransport: true, buffer: true, newline: 'windows' },
    dkim: { domainName: key.domain, keySelector: key.selector, privateKey: pem },
  })
  const signAlone = promisify(sign)
  const digest = Buffer.alloc(1_000)
  const drafts = Array.from({ length: MESSAGES_PER_ROUND }, (_, n) => draftOf(n))
  const spent = { compose: 0, signed: 0, rsa: 0, foreign: 0 }
  for (let round = -1; round < ROUNDS; round++) {
    const times = {
      compose: await timeOf((n) => composeMessage(drafts[n]!)),
      signed: await timeOf((n) => signMessage(composeMessage(drafts[n]!), key, new Date())),
      rsa: await timeOf(() => signAlone('sha256', digest, privateKey)),
      foreign: await timeOf((n) => foreign.sendMail(foreignMail(drafts[n]!))),
    }
    // The first round is the compiler's.
    if (round >= 0) for (const name of ['compose', 'signed', 'rsa', 'foreign'] as const) spent[name] += times[name]
  }
  const perSecond = (ms: number) => ({ perSecond: (ROUNDS * MESSAGES_PER_ROUND * 1_000) / ms, unit: 'messages' })
  const rsa = { ...perSecond(spent.rsa), unit: 'signatures', name: 'RSA-2048 signatures alone, on the thread pool' }
  console.log(ratioLine('composed', perSecond(spent.compose), rsa))
  console.log(ratioLine('composed and signed', perSecond(spent.signed), rsa))
  console.log(
    ratioLine('composed and signed', perSecond(spent.signed), { ...perSecond(spent.foreign), name: 'nodemailer' }),
  )
}

/** Milliseconds for a round, everything begun at once as the engine does. */
async function timeOf(work: (n: number) => unknown): Promise<number> {
  const startedMs = performance.now()
  await Promise.all(Array.from({ length: MESSAGES_PER_ROUND }, (_, n) => work(n)))
  return performance.now() - startedMs
}

function draftOf(n: number): Draft {
  const row = (at: number) =>
    `<tr><td style="padding:10px 25px;font-family:Arial, sans-serif;color:#333333;" align="left">` +
    `<a href="https://t.example.com/e/c/${'x'.repeat(80)}${n}.${at}">Grüße von Artikel ${at}, schön dass Sie da sind</a></td></tr>\n`
  return {
    messageId: `${n}.abcdef0123@news.example.com`,
    date: new Date(),
    from: { address: 'hello@news.example.com', name: 'Example Nachrichten für alle' },
    to: [{ address: `ada${n}@example.org`, name: 'Ada Müller' }],
    subject: `Schöne Grüße ${n}`,
    html: Array.from({ length: ROWS }, (_, at) => row(at)).join(''),
    text: 'Hallo Ada, schöne Grüße aus Köln.\n'.repeat(60),
    headers: [
      ['List-Unsubscribe', `<https://t.example.com/e/u/${'x'.repeat(120)}>`],
      ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
    ],
  }
}

function foreignMail({ messageId, from, to, subject, html, text, headers }: Draft) {
  return {
    messageId: `<${messageId}>`,
    from: { name: from.name ?? '', address: from.address },
    to: to.map(({ name, address }) => ({ name: name ?? '', address })),
    ...{ subject, html: wholeText(html ?? ''), text: text ?? '' },
    headers: (headers ?? []).map(([name, value]) => ({ key: name, value })),
  }
}
