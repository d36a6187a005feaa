import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createGuardParts } from '../../server/modules/auth/guard.ts'
import { NO_LIMITS } from '../../server/modules/auth/limit-requests.ts'
import { makeToken, tokenHash } from '../../server/modules/auth/token-format.ts'
import { startSubmission } from '../../server/modules/submission/submission-listener.ts'
import { CONNECTIONS_PER_TOKEN } from '../../server/modules/submission/submission-setting.ts'
import { queryInScope } from '../../server/platform/db/transaction.ts'
import { signMessage } from '../../server/platform/mail/dkim-sign.ts'
import { keptMail } from '../../server/platform/mail/kept-mail.ts'
import type { SmtpListener } from '../../server/platform/mail/smtp-listener.ts'
import { RECEIVER_CERTIFICATE } from '../support/receiver-certificate.ts'
import { SENDER, storeVerifiedDomain, testSecrets, testSender } from '../support/sending-world.ts'
import { testWorkspace } from '../support/workspace.ts'
import { runInDebian, whyNoServers } from './run-debian-server.ts'

/*
 * Mail programs of Debian hand mail over to us, and a verifier of its own judges our signature. Part of `npm run test:servers`.
 */

const { pool, workspaceId } = await testWorkspace()
const secrets = testSecrets()
const token = makeToken().token
const guard = createGuardParts({ sql: pool, limits: NO_LIMITS })
let files: string
let starttls: SmtpListener
let implicit: SmtpListener

before(async () => {
  await storeVerifiedDomain(pool, secrets, { workspaceId })
  await queryInScope(pool, workspaceId, {
    text: `insert into api_tokens (workspace_id, name, hash, scopes) values ($1, 'mailer', $2, '{emails:send}')`,
    values: [workspaceId, Buffer.from(tokenHash(token), 'hex')],
  })
  files = await mkdtemp(join(tmpdir(), 'postroom-clients-'))
  const tls = { cert: join(files, 'cert.pem'), key: join(files, 'key.pem') }
  await writeFile(tls.cert, RECEIVER_CERTIFICATE.cert)
  await writeFile(tls.key, RECEIVER_CERTIFICATE.key)
  const onError = (error: unknown) => assert.fail(error as Error)
  const deps = { sql: pool, guard, sender: testSender(secrets), onSubmission: () => undefined, onError }
  const start = (way: 'starttls' | 'implicit') =>
    startSubmission(deps, {
      address: { host: undefined, port: 0, tls: way },
      tls,
      proxies: undefined,
      connectionsPerToken: CONNECTIONS_PER_TOKEN,
    })
  starttls = await start('starttls')
  implicit = await start('implicit')
})
after(async () => {
  await starttls.close()
  await implicit.close()
  await guard.stop()
  await rm(files, { recursive: true })
})

const MAIL = `printf 'From: Shop <%s>\\nTo: %s\\nSubject: Spring\\nMessage-ID: <%s>\\n\\n.dot\\nHello\\n' "$FROM" "$TO" "$TO"`
const PYTHON = `
import email.policy, os, smtplib, ssl
from email.message import EmailMessage
mail = EmailMessage()
mail['From'], mail['To'], mail['Subject'] = os.environ['FROM'], os.environ['TO'], 'Grüße'
mail['Message-ID'] = '<' + os.environ['TO'] + '>'
mail.set_content('.dot\\nGrüße\\n')
mail.add_attachment(b'x' * 100000, maintype='application', subtype='octet-stream', filename='a.bin')
# send_message would write another boundary each time.
raw = mail.as_bytes(policy=email.policy.SMTP)
context = ssl._create_unverified_context()
with smtplib.SMTP('127.0.0.1', int(os.environ['PORT'])) as smtp:
    smtp.starttls(context=context)
    smtp.login('postroom', os.environ['TOKEN'])
    smtp.sendmail(os.environ['FROM'], os.environ['TO'], raw)
with smtplib.SMTP_SSL('127.0.0.1', int(os.environ['PORT_TLS']), context=context) as smtp:
    smtp.login('postroom', os.environ['TOKEN'])
    smtp.sendmail(os.environ['FROM'], os.environ['TO'], raw)
`

/** How each hands over a mail twice, the same one. */
const CLIENTS: readonly { name: string; packages: string; script: string }[] = [
  { name: 'smtplib of Python', packages: 'python3', script: `python3 - <<'END'\n${PYTHON}END\n` },
  {
    name: 'msmtp',
    packages: 'msmtp ca-certificates',
    script: `
go() { ${MAIL} | msmtp --host=127.0.0.1 --port="$1" --tls=on --tls-starttls="$2" --tls-certcheck=off --auth=plain --user=postroom \\
  --passwordeval='printenv TOKEN' --from="$FROM" "$TO"; }
go "$PORT" on
go "$PORT_TLS" off
`,
  },
  {
    name: 'swaks',
    packages: 'swaks libnet-ssleay-perl libio-socket-ssl-perl',
    script: `
go() { ${MAIL} | swaks --server 127.0.0.1 --port "$1" "$2" --auth "$3" --auth-user postroom --auth-password "$TOKEN" --from "$FROM" \\
  --to "$TO" --data - --hide-all; }
go "$PORT" --tls PLAIN
go "$PORT_TLS" --tlsc LOGIN
`,
  },
]

for (const { name, packages, script } of CLIENTS) {
  test(`${name} hands a mail over by STARTTLS and by TLS, and it is one mail`, { skip: whyNoServers() }, async () => {
    const to = `${name.split(' ')[0]}@client.example`
    const ports = { PORT: String(starttls.port), PORT_TLS: String(implicit.port) }
    await runInDebian(packages, script, { ...ports, TOKEN: token, FROM: SENDER, TO: to })
    const found = await queryInScope<{ raw: Buffer }>(pool, workspaceId, {
      text: `select s.raw from messages m join submitted_mails s on s.workspace_id = m.workspace_id and m.id = any (s.message_ids)
        where m.workspace_id = $1 and m.destination = $2`,
      values: [workspaceId, to],
    })
    assert.equal(found.length, 1)
    assert.match(found[0]!.raw.toString('utf8'), /\r\n\.dot\r\n/)
  })
}

test('the verifier of dkimpy passes the signature of a mail that went through', { skip: whyNoServers() }, async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const der = createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })).export({ type: 'spki', format: 'der' })
  const raw = Buffer.from(
    `From: ${SENDER}\r\nSubject:  a\xe4  b\r\n\tc\r\nX-A: b\r\n\r\nGr\xfc\xdfe \t aus  K\xf6ln \r\n.\r\n\r\n\r\n`,
    'latin1',
  )
  const composed = keptMail(raw, { messageId: '1@sender.example', keepsMessageId: false, date: new Date() })
  const signed = await signMessage(composed, { domain: 'sender.example', selector: 's', privateKey }, new Date())
  const said = await runInDebian(
    'python3 python3-dkim',
    `python3 - <<'END'
import base64, dkim, os
mail = base64.b64decode(os.environ['MAIL'])
print('verdict', dkim.verify(mail, dnsfunc=lambda name, timeout=5: os.environ['RECORD'].encode()))
END
`,
    { MAIL: signed.toString('base64'), RECORD: `v=DKIM1; k=rsa; p=${der.toString('base64')}` },
  )
  assert.match(said, /^verdict True$/m)
})
