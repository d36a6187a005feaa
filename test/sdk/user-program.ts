import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** A program of a user over the packed client, for any runtime: it uses all there is once, or sends mails whatever happens to the server. */
export const USER_PROGRAM = `
import { AnswerLostError, createClient, NoAnswerError, PostroomError } from '@postroom/client'
import { signIdentity } from '@postroom/client/identity'
import { postroom } from '@postroom/client/nodemailer'
import { signWebhook, verifyWebhook } from '@postroom/client/webhooks'

const nameOf = (error) => error.code ?? error.name

export async function useAll({ baseUrl, token, silentUrl, name }) {
  const client = createClient({ baseUrl, token })
  const mail = { destination: 'ada@example.com', subject: 'Welcome', text: 'Hello' }
  const ids = [await client.emails.send(mail, { idempotencyKey: 'welcome' }), await client.emails.send(mail, { idempotencyKey: 'welcome' })]
  const contact = await client.contacts.upsert({ email: name + '@example.com', firstName: 'Ada' })
  const known = await client.contacts.get(contact.id)
  await client.contacts.update(contact.id, { lastName: 'Lovelace' }, { ifMatch: known })
  const stale = await client.contacts.update(contact.id, { lastName: 'Byron' }, { ifMatch: known }).catch(nameOf)
  const refused = await client.contacts.create({ email: 'no address' }).catch((error) => error)
  const emails = []
  for await (const { email } of client.contacts.list({ pageSize: 1 })) emails.push(email)
  const file = new Blob(['email\\n' + name + '-streamed@example.com\\n']).stream()
  const imported = await client.imports.create(file, { fileName: 'people.csv' })

  const silent = createClient({ baseUrl: silentUrl, token, timeoutMs: 200, retries: 1, pause: async () => {} })
  const late = await silent.contacts.get('1').catch((error) => error)
  const stopped = await silent.contacts.get('1', { signal: AbortSignal.timeout(50) }).catch((error) => error.name)
  let asked = 0
  const gone = { title: 'Not found', status: 404, code: 'not-found' }
  const scripted = async () => {
    if (asked++ === 0) throw new TypeError('the connection is lost')
    return new Response(JSON.stringify(gone), { status: 404, headers: { 'content-type': 'application/problem+json' } })
  }
  const breaking = createClient({ baseUrl, token, fetch: scripted, pause: async () => {} })
  const erased = await breaking.contacts.erase('42')

  const [secret, body] = ['whsec_' + btoa('x'.repeat(24)), '{"contactId":9007199254740993}']
  const event = await verifyWebhook(body, await signWebhook(body, { secret }), { secrets: secret })
  const forged = await verifyWebhook(body + ' ', await signWebhook(body, { secret }), { secrets: secret }).catch((error) => error instanceof Error)
  const jwt = await signIdentity({ subjectId: 'a' }, { kid: '1', secret: 's', collectKey: 'c' })
  return {
    sameId: ids[0].id === ids[1].id && /^\\d+$/.test(ids[0].id),
    stale,
    refused: refused instanceof PostroomError && refused.code,
    listed: emails.includes(name + '@example.com'),
    imported: typeof imported.id,
    late: late instanceof NoAnswerError,
    stopped,
    erased: [erased === undefined, asked],
    event: event.contactId,
    forged,
    jwt: jwt.split('.').length,
    transport: postroom({ client }).name,
  }
}

export async function sendMany({ baseUrl, token, name, count }) {
  const client = createClient({ baseUrl, token })
  const sent = {}
  let [next, calledAgain] = [0, 0]
  const send = async (destination) => {
    for (let known = {}; ; ) {
      try {
        return (await client.emails.send({ destination, subject: 'Welcome', text: 'Hello' }, known)).id
      } catch (error) {
        if (!(error instanceof AnswerLostError && error.idempotencyKey)) throw error
        if (error.outcome === 'took-effect') return ''
        calledAgain++
        known = { idempotencyKey: error.idempotencyKey }
        await new Promise((go) => setTimeout(go, 200))
      }
    }
  }
  const sender = async () => {
    while (next < count) {
      const destination = name + '-' + next++ + '@many.example'
      sent[destination] = await send(destination)
    }
  }
  await Promise.all([sender(), sender(), sender(), sender()])
  return { sent, calledAgain }
}
`

/** Everything that the first of its acts answers, in whatever runtime. */
export const ALL_USED = {
  sameId: true,
  stale: 'precondition-failed',
  refused: 'invalid-request',
  listed: true,
  imported: 'string',
  late: true,
  stopped: 'TimeoutError',
  erased: [true, 2],
  event: '9007199254740993',
  forged: true,
  jwt: 3,
  transport: 'Postroom',
}

/** Runs an act of it from a command line, given as JSON. */
export const USER_COMMAND = `
import process from 'node:process'
import * as program from './program.mjs'
const { act, ...given } = JSON.parse(process.argv[2])
console.log(JSON.stringify(await program[act](given)))
`

/** Runs one where nothing but requests comes in. */
export const USER_WORKER = `
import * as program from './program.mjs'
export default {
  async fetch(request) {
    if (request.method === 'GET') return new Response('ready')
    const { act, ...given } = await request.json()
    return Response.json(await program[act](given))
  },
}
`

/** Configuration of workerd: the worker on a port of this machine, which may ask this machine. */
export const workerConfig = (port: number) => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (modules = [(name = "worker", esModule = embed "worker.js")], compatibilityDate = "2026-01-01")),
    (name = "internet", network = (allow = ["public", "private", "local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
`

/** A server that takes connections, and says nothing. */
export async function startSilent(): Promise<{ url: string; close(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket.on('error', () => undefined))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
