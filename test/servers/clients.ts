import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createGuardParts } from '../../server/modules/auth/guard.ts'
import { NO_LIMITS } from '../../server/modules/auth/limit-requests.ts'
import { makeToken, tokenHash } from '../../server/modules/auth/token-format.ts'
import { startSubmission } from '../../server/modules/submission/submission-listener.ts'
import { CONNECTIONS_PER_TOKEN } from '../../server/modules/submission/submission-setting.ts'
import { queryInScope } from '../../server/platform/db/transaction.ts'
import type { SmtpListener } from '../../server/platform/mail/smtp-listener.ts'
import { splitMail } from '../../server/platform/mail/split-mail.ts'
import { eventually } from '../support/eventually.ts'
import { realMails } from '../support/real-mails.ts'
import { RECEIVER_CERTIFICATE } from '../support/receiver-certificate.ts'
import { SENDER, storeVerifiedDomain, testSecrets, testSender } from '../support/sending-world.ts'
import { openSubmission } from '../support/submission-world.ts'
import { testWorkspace } from '../support/workspace.ts'
import { runInDebian, whyNoServers } from './run-debian-server.ts'

/*
 * Mail programs of Debian hand mail over to us, and verifiers of its own judge our signatures. Part of `npm run test:servers`.
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

const SWAKS = 'swaks libnet-ssleay-perl libio-socket-ssl-perl'

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
    packages: SWAKS,
    script: `
go() { ${MAIL} | swaks --server 127.0.0.1 --port "$1" "$2" --auth "$3" --auth-user postroom --auth-password "$TOKEN" --from "$FROM" \\
  --to "$TO" --data - --hide-all; }
go "$PORT" --tls PLAIN
go "$PORT_TLS" --tlsc LOGIN
`,
  },
]

async function onlyMailTo(destination: string): Promise<string> {
  const found = await queryInScope<{ raw: Buffer }>(pool, workspaceId, {
    text: `select s.raw from messages m join submitted_mails s on s.workspace_id = m.workspace_id and m.id = any (s.message_ids)
      where m.workspace_id = $1 and m.destination = $2`,
    values: [workspaceId, destination],
  })
  assert.equal(found.length, 1)
  return found[0]!.raw.toString('utf8')
}

for (const { name, packages, script } of CLIENTS) {
  test(`${name} hands a mail over by STARTTLS and by TLS, and it is one mail`, { skip: whyNoServers() }, async () => {
    const to = `${name.split(' ')[0]}@client.example`
    const ports = { PORT: String(starttls.port), PORT_TLS: String(implicit.port) }
    await runInDebian(packages, script, { ...ports, TOKEN: token, FROM: SENDER, TO: to })
    assert.match(await onlyMailTo(to), /\r\n\.dot\r\n/)
  })
}

test('the sample of the guide sends its mail with swaks', { skip: whyNoServers() }, async () => {
  const guide = await readFile(new URL('../../docs/guides/smtp.md', import.meta.url), 'utf8')
  const [, sample = ''] = /^```\n(swaks .*?)^```$/ms.exec(guide) ?? assert.fail('the guide has a sample')
  const here = sample
    .replace('mail.example.com', '127.0.0.1')
    .replace('587', String(starttls.port))
    .replace('shop@example.com', SENDER)
  const said = await runInDebian(SWAKS, here, { input: `${token}\n` })
  assert.match(said, /^<~ +250 2\.0\.0 Queued \d+\r?$/m)
  assert.match(await onlyMailTo('ada@example.com'), /^Subject: Hello\r$/m)
})

/** Judges mails that come one a line, as base64: what each verifier found, and of how many. `RECORD` is all that DNS has. */
const VERIFIERS = `
cat > /tmp/mails
python3 - <<'END'
import base64, collections, dkim, os
def record(name, timeout=5): return os.environ['RECORD'].encode()
found = collections.Counter(dkim.verify(base64.b64decode(line), dnsfunc=record) for line in open('/tmp/mails'))
print('dkimpy', dict(found))
END
cat > /tmp/verify.pl <<'END'
use strict; use MIME::Base64; use Net::DNS; use Mail::DKIM::DNS; use Mail::DKIM::Verifier;
my @parts = $ENV{RECORD} =~ /(.{1,255})/gs;
no warnings 'redefine';
*Mail::DKIM::DNS::query = sub { Net::DNS::RR->new(owner => $_[0], type => 'TXT', txtdata => [@parts]) };
my %found;
while (my $line = <STDIN>) {
  my $verifier = Mail::DKIM::Verifier->new;
  $verifier->PRINT(decode_base64($line));
  $verifier->CLOSE;
  $found{$verifier->result}++;
}
print 'Mail::DKIM ', join(' ', map { "$_ $found{$_}" } sort keys %found), "\n";
END
perl /tmp/verify.pl < /tmp/mails
`
/** Of the corpus, which has 6,046. */
const MAILS_EVERY = 5
const RELAYED_WITHIN_MS = 600_000
const FIELD_FROM = /^from[ \t]*:[^\n]*\n(?:[ \t][^\n]*\n)*/gim
/** Folds, double spaces, bytes above 127 and empty lines at the end, which verifiers have differed about. */
const ODD_MAIL = Buffer.from(
  `Subject:  a\xe4  b\r\n\tc\r\nX-A: b\r\n\r\nGr\xfc\xdfe \t aus  K\xf6ln \r\n.\r\n\r\n\r\n`,
  'latin1',
)

/** Mails of others as if they were from our sender. */
async function* mailsOfSender(): AsyncGenerator<Buffer> {
  yield Buffer.concat([Buffer.from(`From: ${SENDER}\r\n`), ODD_MAIL])
  for await (const { raw } of realMails(MAILS_EVERY)) {
    if ('fault' in splitMail(raw)) continue
    const end = raw.indexOf('\r\n\r\n') + 2
    const head = raw.toString('latin1', 0, end).replace(FIELD_FROM, '')
    yield Buffer.concat([Buffer.from(`From: ${SENDER}\r\n${head}`, 'latin1'), raw.subarray(end)])
  }
}

const bodyOf = (raw: Buffer) => raw.subarray(raw.indexOf('\r\n\r\n') + 4)

test('a thousand real mails that a program hands over keep the bytes of their bodies, and two verifiers of Debian pass them', {
  skip: whyNoServers(),
}, async (t) => {
  const world = await openSubmission()
  t.after(() => world.close())
  const transport = world.openTransport(10)
  const mails: Buffer[] = []
  const handing: Promise<unknown>[] = []
  for await (const raw of mailsOfSender()) {
    handing.push(transport.sendMail({ envelope: { from: SENDER, to: `${mails.length}@real.example` }, raw }))
    mails.push(raw)
  }
  await Promise.all(handing)
  transport.close()
  assert.ok(mails.length > 1_000, `${mails.length} mails`)
  await eventually('all of them at the relay', () => world.relayed.length >= mails.length, RELAYED_WITHIN_MS)
  for (const { to, raw } of world.relayed) {
    const given = mails[Number.parseInt(to[0]!, 10)]!
    assert.ok(bodyOf(raw).equals(bodyOf(given)), to[0])
  }
  const said = await runInDebian('python3 python3-dkim libmail-dkim-perl', VERIFIERS, {
    RECORD: world.dkimRecord,
    input: world.relayed.map(({ raw }) => `${raw.toString('base64')}\n`).join(''),
  })
  t.diagnostic(said)
  const lines = said.trim().split('\n').slice(-2)
  assert.deepEqual(lines, [`dkimpy {True: ${mails.length}}`, `Mail::DKIM pass ${mails.length}`])
})
