import { readdir } from 'node:fs/promises'
import net from 'node:net'
import { describedApi } from '../contract/described-api.ts'
import { eventually } from '../support/eventually.ts'
import { send } from '../support/http-client.ts'
import { freePort } from '../support/instance.ts'
import { seededRandom } from '../support/seeded-random.ts'
import { startTestedInstance, type TestedInstance } from '../support/tested-instance.ts'
import { brokenMail, brokenRequest, type Random, type Spoken, targetsOf } from './broken-requests.ts'

const SIDE_BY_SIDE = 24
/**
 * How often a client that has said all there is to say, or not all, sees others being answered before it goes: the server may wait for the
 * rest until limits of its own.
 */
const LOOKS = { whole: 6, cut: 2 }
const FAULTS_MAX = 20
/** Of a conversation that is told. */
const TOLD_CHARS = 400

export type WireResult = {
  conversations: number
  /** Answers by their first line's status, `none` where nothing was said. */
  answers: Map<string, number>
  faults: string[]
}

/**
 * Has many clients break their conversations off with each listener of a service, at any byte: it lives on, keeps no connection,
 * logs no error, and gives back the room of bodies that never ended.
 */
export async function breakConversations(options: { seed: number; conversations: number }): Promise<WireResult> {
  const ports = { submission: await freePort(), bounces: await freePort(), mailbox: await freePort() }
  const instance = await startTestedInstance({
    SUBMISSION_ADDR: `smtp://127.0.0.1:${ports.submission}`,
    ...{ BOUNCE_ADDR: `127.0.0.1:${ports.bounces}`, BOUNCE_DOMAIN: 'bounces.example' },
    MAILBOX_ADDR: `127.0.0.1:${ports.mailbox}`,
  })
  try {
    const { operations } = await describedApi(instance)
    const targets = targetsOf(operations)
    const web = [Number(new URL(instance.baseUrl).port), Number(new URL(instance.metricsUrl).port)]
    const result: WireResult = { conversations: 0, answers: new Map(), faults: [] }
    const before = await openFiles(instance)
    const look = shared(() => send('GET', `${instance.baseUrl}/readyz`).catch(() => undefined))
    const converse = async (random: Random) => {
      const luck = random()
      const isMail = luck > 0.85
      const port = isMail ? Object.values(ports)[Math.floor(random() * 3)]! : luck < 0.8 ? web[0]! : web[1]!
      const spoken = isMail ? brokenMail(random) : brokenRequest(random, targets, instance.token)
      const answer = await speak(port, spoken, look)
      const [, status = 'none'] = /^(?:HTTP\/1\.\d )?(\d{3})/.exec(answer) ?? []
      result.answers.set(status, (result.answers.get(status) ?? 0) + 1)
      result.conversations += 1
      if (!isMail && /^5(?!03|05)/.test(status)) result.faults.push(`${status}: ${toldOf(spoken)}`)
    }
    let [next, isOver] = [0, false]
    void instance.ended.then(() => {
      isOver = true
    })
    const goesOn = () => !isOver && result.faults.length < FAULTS_MAX
    const work = async () => {
      for (let n = next++; n < options.conversations && goesOn(); n = next++) {
        await converse(seededRandom(options.seed + n))
      }
    }
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work))
    if (isOver) result.faults.push(`it has ended: ${instance.output().slice(-TOLD_CHARS * 4)}`)
    else result.faults.push(...(await faultsAfter(instance, before)))
    return result
  } finally {
    await instance.close()
  }
}

/** Asks for all who wait at once; what somebody waits for was asked after they began to. */
function shared(ask: () => Promise<unknown>): () => Promise<unknown> {
  let asking: Promise<unknown> = Promise.resolve()
  let next: Promise<unknown> | undefined
  return () => {
    next ??= asking.then(() => {
      next = undefined
      asking = ask()
      return asking
    })
    return next
  }
}

/** Says what is said, and what came back until the connection was over or nobody waited for more; `look` lets the server work. */
async function speak(port: number, { bytes, sent, leave }: Spoken, look: () => Promise<unknown>): Promise<string> {
  const socket = net.connect(port, '127.0.0.1')
  const closed = new Promise((resolve) => socket.once('close', resolve))
  let answer = ''
  socket
    .on('data', (data) => {
      answer += data.toString('latin1')
      if (leave === 'reset-when-answered') breakOff(socket)
    })
    .on('error', () => undefined)
  socket.write(bytes.subarray(0, sent), () => {
    if (leave === 'reset') breakOff(socket)
    if (leave === 'end') socket.end()
  })
  const looks = sent === bytes.length ? LOOKS.whole : LOOKS.cut
  for (let n = 0; n < looks && !socket.closed; n++) await look()
  breakOff(socket)
  await closed
  return answer
}

/**
 * Ends a connection by RST, whatever it still has to write; by itself Node.js waits for that. One that is being shut down, as it is when
 * the server has ended it, cannot be reset (libuv: EINVAL), and Node.js would never say that it is closed.
 */
function breakOff(socket: net.Socket): void {
  if (!socket.writableEnded) socket.resetAndDestroy()
  socket.destroy()
}

function toldOf({ bytes, sent, leave }: Spoken): string {
  return `${leave} after ${sent} of ${bytes.length} bytes: ${JSON.stringify(bytes.toString('latin1', 0, TOLD_CHARS))}`
}

/** Sockets, files and pipes that the service has open. */
async function openFiles({ pid }: TestedInstance): Promise<number> {
  return (await readdir(`/proc/${pid}/fd`).catch(() => [])).length
}

async function faultsAfter(instance: TestedInstance, before: number): Promise<string[]> {
  const faults: string[] = []
  const { status } = await send('GET', `${instance.baseUrl}/readyz`).catch(() => ({ status: 0 }))
  if (status !== 200) faults.push(`it is not ready afterwards (${status})`)
  for (const line of instance.output().split('\n')) {
    if (/"level":"(error|fatal)"|^(node:|\s+at |Error|Uncaught)/.test(line)) faults.push(line.slice(0, TOLD_CHARS * 4))
  }
  // The pool of the database and connections to other services may have grown meanwhile.
  const spare = 40
  await eventually('connections are given back', async () => (await openFiles(instance)) <= before + spare).catch(
    async () => faults.push(`${await openFiles(instance)} files are open, ${before} were before`),
  )
  const body = JSON.stringify({ email: 'ada@example.com', lastName: 'x'.repeat(100) }).padEnd(900_000)
  const answer = await send('POST', `${instance.baseUrl}/api/contacts`, {
    token: instance.token,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(body),
  }).catch((error: Error) => ({ status: 0, text: String(error) }))
  if (answer.status !== 201) faults.push(`a long body is answered ${answer.status}: ${answer.text}`)
  return faults
}
