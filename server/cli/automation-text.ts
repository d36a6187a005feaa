import { readFile, writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { canonicalJson } from '../modules/automations/definition/canonical-json.ts'
import { createAutomation, updateAutomation } from '../modules/automations/definition/manage-automations.ts'
import { INSIDE, type Inside } from '../modules/automations/definition/places.ts'
import { publishAutomation } from '../modules/automations/definition/publish-automation.ts'
import { readAutomation } from '../modules/automations/definition/read-automations.ts'
import type { Automation } from '../modules/automations/schemas.ts'
import { previewPublish } from '../modules/automations/seeing/preview-publish.ts'
import type { PublishPreview } from '../modules/automations/seeing/publish-schemas.ts'
import { createCompiledCache } from '../modules/templates/compiled-cache.ts'
import { etagOf } from '../platform/etag.ts'
import { parseExactJson } from '../platform/json/exact-json.ts'
import { Problem } from '../platform/problem.ts'
import { type Said, tableOf } from './said.ts'
import { idShownBy, sayingIn, type WorkspaceContext } from './saying.ts'
import { CommandError, missing } from './with-database.ts'

/** An automation in a file: canonical JSON, so that equal automations are equal files and a difference is one of meaning. */
type TextForm = { id?: string; name: string; definition: Record<string, unknown> }

const KEYS = ['id', 'name', 'definition']

/** Adds the commands on automations as files for version control. */
export function addTextForm(command: Command): void {
  sayingIn(
    command
      .command('pull')
      .description('write the draft of an automation as canonical JSON, to a file or here')
      .argument('<id>', 'the automation', idShownBy('automation list'))
      .argument('[file]', 'the file, which is overwritten'),
    pull,
  )
  sayingIn(
    command
      .command('plan')
      .description('tell what applying and publishing a file would do, to whom, and do nothing')
      .argument('<file>', 'the automation as pull has written it')
      .addOption(inside()),
    plan,
  )
  sayingIn(
    command
      .command('apply')
      .description('save a file as the draft; without an id in it, make a new automation and note its id in the file')
      .argument('<file>', 'the automation as pull has written it')
      .option('--draft <tag>', 'the draft that is meant to be replaced, as plan names it')
      .option('--publish', 'put it in force as well')
      .addOption(inside()),
    apply,
  )
}

const inside = () =>
  new Option('--inside <how>', 'what becomes of those in older versions when it is published')
    .choices([...INSIDE])
    .default('stay')

type FileGiven = { file: string; inside: Inside }

async function pull({ pools, caller }: WorkspaceContext, { id, file }: { id: string; file?: string }): Promise<Said> {
  const automation = await found({ pools, caller }, id)
  const text = textOf(automation)
  if (file === undefined) return { text: text.trimEnd(), json: formOf(automation) }
  await write(file, text)
  return { text: `${automation.name}: written to ${file}, draft ${tagOf(automation)}`, json: formOf(automation) }
}

async function plan({ pools, caller }: WorkspaceContext, { file, inside: how }: FileGiven): Promise<Said> {
  const form = await read(file)
  if (form.id === undefined) return { text: `${form.name}: would be made as a new draft.`, json: { isNew: true } }
  const automation = await found({ pools, caller }, form.id)
  const key = { workspaceId: caller.workspaceId, id: form.id, given: canonicalJson(form.definition) }
  const preview = await previewPublish(pools.sql, key, { inside: how }).catch(inWords)
  const tag = tagOf(automation)
  const isSame = canonicalJson(automation.definition) === key.given
  const foreign = isSame ? undefined : ownerOfDraft(automation)
  const text = [
    `${form.name}: ${isSame ? 'the draft is the same already' : 'the draft would be replaced'} (draft ${tag})`,
    ...(foreign === undefined ? [] : [`${foreign} To replace it: apply ${file} --draft ${tag}`]),
    ...planOf(preview),
  ].join('\n')
  return { text, json: { draft: tag, draftIsSame: isSame, ...preview } }
}

type Applying = FileGiven & { draft?: string; publish?: true }

async function apply(context: WorkspaceContext, { file, draft, publish, inside: how }: Applying): Promise<Said> {
  const { pools, caller } = context
  const form = await read(file)
  const saved = form.id === undefined ? await make(context, { file, form }) : await replace(context, { form, draft })
  const lines = [`${saved.name}: draft ${tagOf(saved)} saved`]
  if (publish === true) {
    const given = { id: saved.id, ifMatch: matching(tagOf(saved)), body: { inside: how } }
    const { version, people } = await publishAutomation({ sql: pools.sql }, caller, given).catch(inWords)
    lines.push(
      `version ${version} is in force${people > 0 ? `; ${people} people inside ${how === 'move' ? 'come along' : 'leave'}` : ''}`,
    )
  }
  const after = publish === true ? await found(context, saved.id) : saved
  return { text: lines.join('\n'), json: { draft: tagOf(after), ...after } }
}

async function make({ pools, caller }: WorkspaceContext, { file, form }: { file: string; form: TextForm }) {
  const { name, definition } = form
  const made = await createAutomation(depsOf(pools), caller, { name, definition }).catch(inWords)
  await write(file, textOf(made))
  return made
}

/** Under the tag of what was looked at: whoever saves meanwhile is not overwritten, and neither is a draft that is nowhere in force. */
async function replace(context: WorkspaceContext, { form, draft }: { form: TextForm; draft: string | undefined }) {
  const { name, definition } = form
  const automation = await found(context, form.id!)
  const isSame = canonicalJson(automation.definition) === canonicalJson(definition)
  const foreign = isSame || draft !== undefined ? undefined : ownerOfDraft(automation)
  if (foreign !== undefined)
    throw new CommandError(`${foreign} "automation plan" tells how it differs, and how to replace it`)
  const ifMatch = matching(draft ?? tagOf(automation))
  const change = { id: form.id!, change: { name, definition }, ifMatch }
  return updateAutomation(depsOf(context.pools), context.caller, change).catch(inWords)
}

const depsOf = (pools: WorkspaceContext['pools']) => ({ sql: pools.sql, compiled: createCompiledCache() })

/** A draft that differs from what is in force is somebody's work that is nowhere else; undefined when there is none. */
function ownerOfDraft({ publishedVersion, draftChanged }: Automation): string | undefined {
  if (!draftChanged) return undefined
  const from = publishedVersion === null ? 'was never published' : `differs from version ${publishedVersion}`
  return `the draft on the server ${from}, so it would be lost.`
}

function planOf({ publishes, parts, people, nextDay, nodes, faults }: PublishPreview): string[] {
  const rows = nodes
    .filter(({ change, people: here }) => change !== 'same' || here > 0)
    .map(({ node, change, fields, people: here, fate, to }) => ({ node, change, fields, people: here, fate, to }))
  const { timersBefore, timersAfter, mailsBefore, mailsAfter, isEstimate } = nextDay
  return [
    publishes ? 'Published, it would be a new version.' : 'It is what is in force.',
    ...(parts.length > 0 ? [`Other than in force: ${parts.join(', ')}`] : []),
    ...(rows.length > 0 ? ['', tableOf(rows)] : []),
    '',
    `${people.inside} people are in older versions: ${people.keep} keep their place, ${people.move} move, ${people.leave} leave, ${people.stay} stay, ${people.homeless} have none`,
    `Next 24 hours: ${timersBefore} timers end, ${timersAfter} with it; ${mailsBefore} mails come next, ${mailsAfter} with it${isEstimate ? ' (estimated)' : ''}`,
    ...faults.map(({ pointer, detail }) => `Publishing is refused: ${pointer} ${detail}`),
  ]
}

async function found({ pools, caller }: Pick<WorkspaceContext, 'pools' | 'caller'>, id: string): Promise<Automation> {
  return readAutomation(pools.sql, { workspaceId: caller.workspaceId, id }).catch(missing(`automation ${id}`))
}

/** The entity tag of the automation without its quotes, which shells would take. */
const tagOf = (automation: Automation) => etagOf(automation).replaceAll('"', '')
const matching = (tag: string) => `"${tag}"`

const formOf = ({ id, name, definition }: Automation): Required<TextForm> => ({ id, name, definition })

/** Keys in one order, a line each. */
function textOf(automation: Automation): string {
  return `${JSON.stringify(parseExactJson(canonicalJson(formOf(automation))), null, 2)}\n`
}

async function read(file: string): Promise<TextForm> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be read: ${error.code}`)
  })
  let form: unknown
  try {
    form = parseExactJson(text)
  } catch (error) {
    throw new CommandError(`${file} is not JSON: ${error instanceof Error ? error.message : ''}`)
  }
  if (!isForm(form))
    throw new CommandError(
      `${file} must be {"id", "name", "definition"} and nothing else, as "automation pull" writes it`,
    )
  return form
}

function isForm(form: unknown): form is TextForm {
  if (typeof form !== 'object' || form === null || !Object.keys(form).every((key) => KEYS.includes(key))) return false
  const { id, name, definition } = form as Record<string, unknown>
  const isId = id === undefined || (typeof id === 'string' && /^\d{1,18}$/.test(id))
  return isId && typeof name === 'string' && typeof definition === 'object' && definition !== null
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be written: ${error.code}`)
  })
}

/** Faults a line each, with their places in the file; other errors come through as they are. */
function inWords(error: unknown): never {
  if (!(error instanceof Problem)) throw error
  const faults = error.errors?.map(({ pointer, detail }) => `  ${pointer} ${detail}`) ?? []
  throw new CommandError([error.detail ?? error.message, ...faults].join('\n'))
}
