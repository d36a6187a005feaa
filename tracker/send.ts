import { isAllowed, stated } from './consent.ts'
import { flying, kindOf, nextBatch, queued } from './queue.ts'
import { collectUrl, key, mode, say } from './settings.ts'
import { OURS, read, remove, write } from './storage.ts'
import { keepVisitor, knownVisitor } from './visitor.ts'

/*
 * Sends the queue. `fetch` with `keepalive` outlives the page, and a text is sent without a preflight. An answer that never
 * came leaves the items in the queue, for this page or the next one; their ids make sending them twice harmless.
 */

const BATCH_ITEMS_MAX = 50
const GATHER_MS = 1_000
const RETRY_MS_MIN = 2_000
const RETRY_MS_MAX = 300_000
const TIMEOUT_MS = 60_000
/** A moment to come that is further away than this was written under another clock. */
const WAIT_MS_MAX = 86_400_000
/** How often nothing was taken in a row, and until when nobody tries again, in whatever tab or page. */
const RETRY = `${OURS}retry`

let itemsMax = BATCH_ITEMS_MAX
let timer = 0
let isSending = false

type Answer = { visitorId?: string; rejected?: unknown[] }

const retry = (): [tries: number, untilMs: number] => JSON.parse(read(RETRY) || '[0,0]')

function waitMs(): number {
  const wait = retry()[1] - Date.now()
  return wait < WAIT_MS_MAX ? wait : 0
}

/** Sends soon what is in the queue, and what comes until then. */
export function sendSoon(): void {
  if (!timer && queued()[0]) timer = window.setTimeout(send, Math.max(GATHER_MS, waitMs()))
}

/** Sends what is in the queue, unless another tab is at it, or the server has asked for a pause. */
export async function send(): Promise<void> {
  clearTimeout(timer)
  timer = 0
  // Offline nothing is tried; being online again is an event.
  if (isSending || navigator.onLine === false) return
  isSending = true
  // Only https has locks. Without one two tabs may send the same, which is harmless.
  await (navigator.locks?.request(OURS, { ifAvailable: true }, (lock) => lock && sendAll()) ?? sendAll())
  isSending = false
  sendSoon()
}

async function sendAll(): Promise<void> {
  for (let batch = dueBatch(); batch[0]; batch = dueBatch()) await post(batch)
}

/** Sends what it can without waiting for answers, of which a page that is being left may see none. */
export function sendNow(): void {
  for (let batch = dueBatch(); batch[0]; batch = dueBatch()) void post(batch)
}

const dueBatch = (): string[] => (waitMs() > 0 ? [] : nextBatch(itemsMax))

async function post(names: string[]): Promise<void> {
  const kind = kindOf(names[0]!)
  const items = names.map(read)
  const events = `"sentAt":"${new Date().toISOString()}","consent":"${stated() || mode}","events":[${items}]}`
  const body = `{"key":"${key}",${kind === 'events' ? events : items[0]?.slice(1)}`
  for (const name of names) flying.add(name)
  let status = 0
  let seconds = 0
  let answer: Answer = {}
  try {
    const signal = AbortSignal.timeout?.(TIMEOUT_MS)
    const response = await fetch(`${collectUrl}/${kind}`, {
      method: 'POST',
      body,
      keepalive: true,
      credentials: 'omit',
      signal,
    })
    seconds = Number(response.headers.get('retry-after'))
    if (response.status === 200) answer = await response.json()
    status = response.status
  } catch {
    // No answer: tried again.
  }
  for (const name of names) flying.delete(name)
  say(kind, status, body, answer)
  // A key or an origin that is refused is for the owner of the site to put right, and no fault of any event.
  const isLater = !status || /408|429|401|5../.test(`${status}`) || (status === 403 && kind === 'events')
  if (isLater) return postpone(seconds)
  if (status >= 400 && names[1]) {
    // One of them is bad: it is found by halves.
    itemsMax = names.length >> 1
    return
  }
  itemsMax = Math.min(BATCH_ITEMS_MAX, itemsMax * 2)
  if (answer.visitorId) adopt(answer.visitorId, names[0]!)
  names.forEach(remove)
  remove(RETRY)
}

function postpone(seconds: number): void {
  const [tries] = retry()
  const pause = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** tries * (1 + Math.random()))
  write(RETRY, `[${tries + 1},${Date.now() + Math.max(pause, (seconds || 0) * 1_000)}]`, isAllowed())
  sendSoon()
}

/** The server says that this is another person than before: whatever has happened since is theirs. */
function adopt(visitorId: string, asked: string): void {
  const question = read(asked)
  // Denied or forgotten meanwhile.
  if (!question || !isAllowed()) return
  const before = JSON.parse(question).visitorId
  for (const name of queued()) if (name > asked) write(name, read(name).replace(before, visitorId))
  if (knownVisitor() === before) keepVisitor(visitorId)
}
