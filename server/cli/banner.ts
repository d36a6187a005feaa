import type { Config } from '../config.ts'
import { credentialsKeptIn } from '../keep-credentials.ts'
import type { Running } from '../main.ts'
import { VERSION } from '../version.ts'

export const NAME = `Postroom ${VERSION}`

/** The lines that a person sees when the service is up: where it is, and at the first start how to get in and what to try. */
export function banner(config: Config, running: Running): string {
  const { credentials } = running
  const { address, ...places } = placesOf(config, running)
  const lines = [
    `${NAME} is running.`,
    '',
    ...Object.entries({ Address: address, ...namedPlaces(places) }).flatMap(shown),
  ]
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
    if (address) lines.push('', 'Try it:', '', tryIt(address, credentials.token, config.mailbox !== undefined))
  } else lines.push(line('To get in', howToGetIn(config, undefined)), '', 'Stop it with Ctrl-C.')
  return `\n${lines.map((text) => (text === '' ? '' : `  ${text}`)).join('\n')}\n\n`
}

/** The same for a log of JSON lines, with nothing in it that lets anybody in. */
export function bannerFields(config: Config, running: Running): object {
  return { ...placesOf(config, running), toGetIn: howToGetIn(config, running.credentials) }
}

function placesOf(config: Config, running: Running) {
  const address = publicAddress(config, running)
  const { metricsAddress: metrics, database } = running
  return {
    address,
    dashboard: address && `${address}/app`,
    apiReference: address && `${address}/docs`,
    mailbox: address && config.mailbox ? `${address}/app/mailbox shows the mail that is sent` : undefined,
    metrics: metrics && `http://${hostText(metrics.host)}:${metrics.port}/metrics`,
    database: config.databaseUrl ? database : `${database}, embedded, in ${config.dataDir}`,
    systemMail: config.systemSmtp ? undefined : 'kept here; ./postroom mail list shows it',
  }
}

function namedPlaces(places: Omit<ReturnType<typeof placesOf>, 'address'>) {
  return {
    Dashboard: places.dashboard,
    'API reference': places.apiReference,
    Mailbox: places.mailbox,
    Metrics: places.metrics,
    Database: places.database,
    'System mail': places.systemMail,
  }
}

function shown([label, text]: [label: string, text: string | undefined]): string[] {
  return text === undefined ? [] : [line(label, text)]
}

const NEW_ONES = './postroom user reset-link <email> and ./postroom token create <name> make new ones'

/** Every start says how to get in. `unshown` are credentials that no start has shown yet. */
function howToGetIn({ databaseUrl, dataDir }: Config, unshown: Running['credentials']): string {
  if (databaseUrl === undefined) {
    const kept = credentialsKeptIn(dataDir)
    return kept
      ? `login and token of the first start are in ${kept}`
      : `logins and tokens are those of before; ${NEW_ONES}`
  }
  if (unshown === undefined)
    return `login and token were shown at the first start, or the process that made them keeps them; ${NEW_ONES}`
  if (unshown.file) return `login and token are in ${unshown.file}, until a start with LOG_FORMAT=pretty shows them`
  return `the login is ${unshown.email}; ${NEW_ONES}`
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
