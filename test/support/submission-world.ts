import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTransport, type SendMailOptions } from 'nodemailer'
import { send } from './http-client.ts'
import { freePort, type Instance, startInstance } from './instance.ts'
import { createTestDatabase } from './postgres.ts'
import { RECEIVER_CERTIFICATE } from './receiver-certificate.ts'
import { relayAt, storeSenderIn } from './sending-world.ts'
import { startSmtpPeer } from './smtp-peer.ts'

const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString('base64')

/** A mail as the relay took it. */
export type Relayed = { to: readonly string[]; raw: Buffer }

export type SubmissionWorld = Awaited<ReturnType<typeof openSubmission>>

/** The service taking mail by SMTP for a verified domain, and the relay that it hands it to; `point` is where its first process dies. */
export async function openSubmission(point: Record<string, string> = {}) {
  const files = await mkdtemp(join(tmpdir(), 'postroom-submission-'))
  await writeFile(join(files, 'cert.pem'), RECEIVER_CERTIFICATE.cert)
  await writeFile(join(files, 'key.pem'), RECEIVER_CERTIFICATE.key)
  const relayed: Relayed[] = []
  const relay = await startSmtpPeer({
    authOptional: true,
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        relayed.push({ to: envelope.rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks) })
        done()
      })
    },
  })
  const database = await createTestDatabase()
  const port = await freePort()
  const env = {
    ...{ DATABASE_URL: database.url, ENCRYPTION_KEY, BOOTSTRAP_TOKEN: 'submission-story-token-of-40-characters' },
    SUBMISSION_ADDR: `smtp://0.0.0.0:${port}`,
    SUBMISSION_TLS_CERT: join(files, 'cert.pem'),
    SUBMISSION_TLS_KEY: join(files, 'key.pem'),
  }
  let instance: Instance = await startInstance({ env: { ...env, ...point } })
  const publicKey = await storeSenderIn(database.url, ENCRYPTION_KEY)

  async function api(method: string, path: string, json?: object) {
    const token = env.BOOTSTRAP_TOKEN
    const answer = await send(method, `${instance.baseUrl}/api${path}`, { token, ...(json ? { json } : {}) })
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.json
  }
  /** A way for mails, over as many connections at once. */
  const openTransport = (connections: number) =>
    createTransport({
      ...{ host: '127.0.0.1', port, pool: true, maxConnections: connections, requireTLS: true },
      ...{ auth: { user: 'default', pass: env.BOOTSTRAP_TOKEN }, tls: { rejectUnauthorized: false } },
    })
  await api('POST', '/integrations', { name: 'Relay', isDefault: true, config: relayAt(relay) })
  return {
    ...{ relayed, port, env, api, openTransport, dkimRecord: `v=DKIM1; k=rsa; p=${publicKey}` },
    instance: () => instance,

    /** Hands a mail over; what the service said. */
    async submit(mail: SendMailOptions): Promise<string> {
      const transport = openTransport(1)
      try {
        return (await transport.sendMail(mail)).response
      } finally {
        transport.close()
      }
    },

    /** Starts anew once the process has died; `next` is where that one dies. */
    async restart(next: Record<string, string> = {}): Promise<void> {
      await instance.ended
      instance = await startInstance({ env: { ...env, ...next } })
    },

    async close(): Promise<void> {
      await instance.stop()
      await relay.close()
      await database.drop()
      await rm(files, { recursive: true })
    },
  }
}
