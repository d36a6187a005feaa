import { readFile } from 'node:fs/promises'
import { Command, InvalidArgumentError } from 'commander'
import { type Foreseen, foresee } from '../modules/moving/foresee.ts'
import { readListmonk } from '../modules/moving/listmonk.ts'
import { listmonkApi } from '../modules/moving/listmonk-api.ts'
import { readMailchimp } from '../modules/moving/mailchimp.ts'
import { type MovedIn, moveIn } from '../modules/moving/move-in.ts'
import { type Moved, MovingError } from '../modules/moving/moved.ts'
import { createCompiledCache } from '../modules/templates/compiled-cache.ts'
import { type Said, tableOf } from './said.ts'
import { sayingIn, type WorkspaceContext } from './saying.ts'
import { CommandError } from './with-database.ts'

const SHOWN_MAX = 20

type Given = { apply?: true }

export function importFromCommand(): Command {
  const command = new Command('import-from').description(
    'bring people, consents, opt-outs, templates and campaigns from another service; without --apply it only tells what would come',
  )
  const from = (name: string, description: string) =>
    command.command(name).description(description).option('--apply', 'bring it in')

  sayingIn(
    from('mailchimp', 'the archive that Mailchimp exports, of an audience or of the account').argument(
      '<archive>',
      'the ZIP file',
    ),
    (context, given: Given & { archive: string }) =>
      move(context, given, async () => readMailchimp(await contentOf(given.archive))),
  )
  sayingIn(
    from('listmonk', 'an installation of listmonk, by its API; nothing there is changed')
      .argument('<url>', 'its address, such as https://list.example.com', address)
      .requiredOption('--login-file <file>', 'a file with user:token of an API user'),
    (context, given: Given & { url: URL; loginFile: string }) =>
      move(context, given, async () => {
        const login = (await contentOf(given.loginFile)).toString('utf8').trim()
        return readListmonk(listmonkApi(given.url, login))
      }),
  )
  return command
}

async function move({ pools, caller }: WorkspaceContext, { apply }: Given, read: () => Promise<Moved>): Promise<Said> {
  const moved = await read().catch((error: unknown) => {
    throw error instanceof MovingError ? new CommandError(error.message) : error
  })
  const foreseen = foresee(moved)
  if (!apply)
    return {
      text: `${foretold(foreseen)}\nNothing was changed: add --apply to bring it in.`,
      json: { ...foreseen, applied: null },
    }
  const deps = { sql: pools.sql, pool: pools.pgx, compiled: createCompiledCache() }
  const applied = await moveIn(deps, caller, moved)
  return { text: `${foretold(foreseen)}\n${done(applied)}`, json: { ...foreseen, applied } }
}

function foretold({ source, people, optOuts, tags, fields, templates, broadcasts, leftOut }: Foreseen): string {
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
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${path} cannot be read: ${error.code ?? error.message}`)
  })
}

function address(value: string): URL {
  const url = URL.parse(value)
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '') return url
  throw new InvalidArgumentError('It must be an http or https address, without a login in it.')
}
