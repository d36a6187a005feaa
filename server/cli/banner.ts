import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Running } from '../main.ts'
import { VERSION } from '../version.ts'

/** The lines that a person sees when the service is up: where it is, and at the first start how to get in and what to try. */
export function banner(config: Config, running: Running): string {
  const lines = [`Postroom ${VERSION} is running.`, '']
  const base = publicAddress(config, running)
  if (base) lines.push(line('Address', base), line('Dashboard', `${base}/app`), line('API reference', `${base}/docs`))
  if (base && config.mailbox) lines.push(line('Mailbox', `${base}/app/mailbox shows the mail that is sent`))
  const { metricsAddress, credentials, database } = running
  if (metricsAddress)
    lines.push(line('Metrics', `http://${hostText(metricsAddress.host)}:${metricsAddress.port}/metrics`))
  lines.push(line('Database', config.databaseUrl ? database : `${database}, embedded, in ${config.dataDir}`))
  if (!config.systemSmtp) lines.push(line('System mail', 'kept here; ./postroom mail list shows it'))
  if (credentials) {
    lines.push(
      line('Login', `${credentials.email}  ${credentials.password}`),
      line('API token', credentials.token),
      '',
      credentials.file
        ? `These are shown once, and kept in ${credentials.file} (readable by you only).`
        : 'These are shown once: keep them.',
    )
    if (config.bootstrap.workspaceName === undefined)
      lines.push(
        '',
        'Your readers see the name of the workspace. Name it: ./postroom workspace rename default "Your name"',
      )
    if (base) lines.push('', 'Try it:', '', tryIt(base, credentials.token, config.mailbox !== undefined))
  } else if (base) {
    lines.push(line('To get in', whereCredentialsAre(config)), '', 'Stop it with Ctrl-C.')
  }
  return `\n${lines.map((text) => (text === '' ? '' : `  ${text}`)).join('\n')}\n\n`
}

/** Every start says how to get in. */
function whereCredentialsAre({ databaseUrl, dataDir }: Config): string {
  return databaseUrl === undefined
    ? `login and token of the first start are in ${join(dataDir, 'credentials.txt')}`
    : 'shown at the first start; ./postroom user reset-link <email> and ./postroom token create <name> make new ones'
}

function line(label: string, text: string): string {
  return `${`${label}:`.padEnd(17)}${text}`
}

function publicAddress(config: Config, running: Running): string | undefined {
  if (!running.address) return undefined
  if (config.appUrl) return config.appUrl.href.replace(/\/$/, '')
  const { host, port } = running.address
  const everywhere = host === '0.0.0.0' || host === '::'
  return `http://${everywhere ? 'localhost' : hostText(host)}:${port}`
}

function hostText(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** One line, so that it survives being pasted into any shell: a mail to see at once, or an event where nothing is sent yet. */
function tryIt(base: string, token: string, hasMailbox: boolean): string {
  const [path, body] = hasMailbox
    ? [
        '/api/emails',
        '{"destination":"ada@example.com","subject":"Hello, Ada","html":"<p>It works.</p>","text":"It works."}',
      ]
    : ['/api/events', '{"events":[{"subjectId":"ada","action":"hello.world","properties":{"from":"curl"}}]}']
  return `curl -i ${base}${path} -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${body}'`
}
