import { readFile } from 'node:fs/promises'
import { Command, InvalidArgumentError } from 'commander'
import { FORESEEN, type Foreseen, foresee } from '../modules/moving/foresee.ts'
import { type MovedIn, moveIn } from '../modules/moving/move-in.ts'
import { type MovedPage, MovingError, type ReadPage, type Service } from '../modules/moving/moved.ts'
import { OPEN_WAY } from '../modules/moving/open-way.ts'
import { pagesOf } from '../modules/moving/read-parts.ts'
import {
  API_SOURCES,
  type ApiSourceName,
  addressOf,
  FILE_SOURCES,
  type FileSourceName,
} from '../modules/moving/sources.ts'
import { createCompiledCache } from '../modules/templates/compiled-cache.ts'
import { bytesOfFile } from '../platform/bytes/byte-source.ts'
import { CommandError } from './command-error.ts'
import { type Said, tableOf } from './said.ts'
import { sayingIn, type WorkspaceContext } from './saying.ts'

const SHOWN_MAX = 20

type Given = { apply?: true }
type Asked = Given & { url?: URL; address?: URL; keyFile?: string; loginFile?: string }

export function importFromCommand(): Command {
  const command = new Command('import-from').description(
    'bring people, consents, opt-outs, templates and campaigns from another service; without --apply it only tells what would come',
  )
  const from = (name: string, description: string) =>
    command.command(name).description(description).option('--apply', 'bring it in')
  const apiOf = (described: Command) =>
    described.option('--address <url>', 'where its API is, if it is not where it is for everybody', address)

  sayingIn(
    apiOf(from('brevo', 'an account of Brevo, by its API; nothing there is changed')).requiredOption(
      '--key-file <file>',
      'a file with an API key',
    ),
    (context, given: Asked) => move(context, given, () => asking('brevo', given)),
  )
  sayingIn(
    from('keila', 'a project of Keila, by its API or by the file of contacts that it exports; nothing there is changed')
      .argument('<from>', 'its address, such as https://app.keila.io, or the CSV file')
      .option('--key-file <file>', 'a file with an API key, for an address'),
    (context, given: Given & { from: string; keyFile?: string }) =>
      move(context, given, async () => {
        if (!isAddress(given.from)) return reading('keila-file', given.from)
        return asking('keila', { ...given, url: address(given.from) })
      }),
  )
  sayingIn(
    apiOf(
      from(
        'mailchimp',
        'an account of Mailchimp, by the archive that it exports or by its API; nothing there is changed',
      ),
    )
      .argument('[archive]', 'the ZIP file, of an audience or of the account')
      .option('--key-file <file>', 'a file with an API key, instead of the archive'),
    (context, given: Asked & { archive?: string }) =>
      move(context, given, async () => {
        const { archive } = given
        if ((archive === undefined) === (given.keyFile === undefined)) {
          throw new CommandError('It needs the archive or --key-file, and not both.')
        }
        return archive === undefined ? asking('mailchimp', given) : reading('mailchimp-archive', archive)
      }),
  )
  sayingIn(
    from('listmonk', 'an installation of listmonk, by its API; nothing there is changed')
      .argument('<url>', 'its address, such as https://list.example.com', address)
      .requiredOption('--login-file <file>', 'a file with user:token of an API user'),
    (context, given: Asked) => move(context, given, () => asking('listmonk', given)),
  )
  return command
}

type Opened = { service: Service; read: ReadPage }

async function asking(name: ApiSourceName, { url, address: elsewhere, keyFile, loginFile }: Asked): Promise<Opened> {
  const file = keyFile ?? loginFile
  if (file === undefined) throw new CommandError('An address needs --key-file.')
  const key = (await contentOf(file)).toString('utf8').trim()
  const base = addressOf(name, { given: (url ?? elsewhere)?.href, key })
  const { service, open } = API_SOURCES[name]
  return { service, read: open({ base, key, way: OPEN_WAY }) }
}

async function reading(name: FileSourceName, path: string): Promise<Opened> {
  const { service, open } = FILE_SOURCES[name]
  return { service, read: await open(await bytesOfFile(path).catch(unreadable(path))) }
}

async function move({ pools, caller }: WorkspaceContext, { apply }: Given, open: () => Promise<Opened>): Promise<Said> {
  const { service, pages } = await wholeOf(open).catch((error: unknown) => {
    throw error instanceof MovingError ? new CommandError(error.message) : error
  })
  const foreseen = pages.reduce((before, page) => foresee(before, page, service), FORESEEN)
  const told = foretold(service.name, foreseen)
  const source = service.name
  if (!apply) {
    return {
      text: `${told}\nNothing was changed: add --apply to bring it in.`,
      json: { source, ...foreseen, applied: null },
    }
  }
  const deps = { sql: pools.sql, pool: pools.pgx, compiled: createCompiledCache() }
  const applied = await moveIn(deps, caller, { service, pages })
  return { text: `${told}\n${done(applied)}`, json: { source, ...foreseen, applied } }
}

async function wholeOf(open: () => Promise<Opened>): Promise<{ service: Service; pages: MovedPage[] }> {
  const { service, read } = await open()
  const pages: MovedPage[] = []
  for await (const page of pagesOf(read)) pages.push(page)
  return { service, pages }
}

function foretold(source: string, { people, optOuts, tags, fields, templates, broadcasts, leftOut }: Foreseen): string {
  const some = (names: readonly string[]) =>
    names.length === 0
      ? 'none'
      : `${names.slice(0, SHOWN_MAX).join(', ')}${names.length > SHOWN_MAX ? `, … (${names.length})` : ''}`
  return [
    `From ${source}:`,
    `  people      ${people.total}, ${people.withConsent} with consent, ${people.withoutConsent} without`,
    `  opted out   ${optOuts.unsubscribed} unsubscribed, ${optOuts.bounce} bounced, ${optOuts.complaint} complained, ${optOuts.manual} blocked`,
    `  tags        ${some(tags)}`,
    `  fields      ${some(fields)}`,
    `  templates   ${some(templates)}`,
    `  broadcasts  ${some(broadcasts)} (as drafts)`,
    ...(leftOut.length === 0 ? [] : ['Left out:']),
    ...leftOut.map(
      ({ why, count, examples }) =>
        `  ${count}: ${why} (${examples.join('; ')}${count > examples.length ? '; …' : ''})`,
    ),
  ].join('\n')
}

function done({ people, optOuts, templates, broadcasts, leftOut }: MovedIn): string {
  return [
    ...(people.length === 0 ? [] : [tableOf(people)]),
    `Opted out: ${optOuts.added} added, ${optOuts.known} known before.`,
    `Templates: ${templates.created} made, ${templates.known} there before. Drafts: ${broadcasts.created} made, ${broadcasts.known} there before.`,
    ...leftOut.map(({ what, why }) => `Left out: ${what}: ${why}`),
  ].join('\n')
}

function contentOf(path: string): Promise<Buffer> {
  return readFile(path).catch(unreadable(path))
}

const unreadable = (path: string) => (error: NodeJS.ErrnoException) => {
  throw new CommandError(`${path} cannot be read: ${error.code ?? error.message}`)
}

const isAddress = (value: string) => /^https?:\/\//i.test(value)

function address(value: string): URL {
  const url = URL.parse(value)
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '') return url
  throw new InvalidArgumentError('It must be an http or https address, without a login in it.')
}
