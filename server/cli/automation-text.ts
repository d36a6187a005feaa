import { type Command, Option } from 'commander'
import { canonicalJson } from '../modules/automations/definition/canonical-json.ts'
import { createAutomation, updateAutomation } from '../modules/automations/definition/manage-automations.ts'
import { INSIDE, type Inside } from '../modules/automations/definition/places.ts'
import { publishAutomation } from '../modules/automations/definition/publish-automation.ts'
import { readAutomation } from '../modules/automations/definition/read-automations.ts'
import { scenariosChangedBy } from '../modules/automations/definition/scenarios-changed-by.ts'
import { createScenarioPlayer } from '../modules/automations/scenarios/scenario-player.ts'
import type { Automation } from '../modules/automations/schemas.ts'
import { previewPublish } from '../modules/automations/seeing/preview-publish.ts'
import type { PublishPreview } from '../modules/automations/seeing/publish-schemas.ts'
import { createCompiledCache } from '../modules/templates/compiled-cache.ts'
import { etagOf } from '../platform/etag.ts'
import { formOf, inWords, read, type TextForm, textOf, write } from './automation-file.ts'
import { CommandError, missing } from './command-error.ts'
import { type Said, tableOf } from './said.ts'
import { idShownBy, sayingIn, type WorkspaceContext } from './saying.ts'

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
      .option('--despite-scenarios', 'publish although scenarios fail, which the audit log notes')
      .addOption(inside()),
    apply,
  )
}

const inside = () =>
  new Option('--inside <how>', 'what becomes of those in older versions when it is published')
    .choices([...INSIDE])
    .default('stay')

type FileGiven = { file: string; inside: Inside }

export async function pull(
  { pools, caller }: WorkspaceContext,
  { id, file }: { id: string; file?: string },
): Promise<Said> {
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
  const draftIsSame = isSameDraft(automation, form)
  const foreign = await ownerOfDraft({ pools, caller }, automation, form)
  const text = [
    `${form.name}: ${draftIsSame ? 'the draft is the same already' : 'the draft would be replaced'} (draft ${tag})`,
    ...(foreign === undefined ? [] : [`${foreign} To replace it: apply ${file} --draft ${tag}`]),
    ...planOf(preview),
  ].join('\n')
  return { text, json: { draft: tag, draftIsSame, ...preview } }
}

type Applying = FileGiven & { draft?: string; publish?: true; despiteScenarios?: true }

export async function apply(
  context: WorkspaceContext,
  { file, draft, publish, despiteScenarios, inside: how }: Applying,
): Promise<Said> {
  const { pools, caller } = context
  const form = await read(file)
  const saved = form.id === undefined ? await make(context, { file, form }) : await replace(context, { form, draft })
  const lines = [`${saved.name}: draft ${tagOf(saved)} saved`]
  if (publish === true) {
    const deps = { sql: pools.sql, play: createScenarioPlayer() }
    const given = { id: saved.id, despiteScenarios, ifMatch: matching(tagOf(saved)), body: { inside: how } }
    const { version, people } = await publishAutomation(deps, caller, given).catch(inWords)
    lines.push(
      `version ${version} is in force${people > 0 ? `; ${people} people inside ${how === 'move' ? 'come along' : 'leave'}` : ''}`,
    )
  }
  const after = publish === true ? await found(context, saved.id) : saved
  return { text: lines.join('\n'), json: { draft: tagOf(after), ...after } }
}

async function make({ pools, caller }: WorkspaceContext, { file, form }: { file: string; form: TextForm }) {
  const { name, definition, scenarios } = form
  const made = await createAutomation(depsOf(pools), caller, {
    ...{ name, definition },
    ...(scenarios && { scenarios }),
  }).catch(inWords)
  await write(file, textOf(made))
  return made
}

/** Under the tag of what was looked at: whoever saves meanwhile is not overwritten, and neither is a draft that is nowhere in force. */
async function replace(context: WorkspaceContext, { form, draft }: { form: TextForm; draft: string | undefined }) {
  const { name, definition, scenarios } = form
  const automation = await found(context, form.id!)
  const foreign = draft === undefined ? await ownerOfDraft(context, automation, form) : undefined
  if (foreign !== undefined)
    throw new CommandError(`${foreign} "automation plan" tells how it differs, and how to replace it`)
  const ifMatch = matching(draft ?? tagOf(automation))
  const change = { id: form.id!, change: { name, definition, ...(scenarios && { scenarios }) }, ifMatch }
  return updateAutomation(depsOf(context.pools), context.caller, change).catch(inWords)
}

const isSame = (one: unknown, other: unknown) => canonicalJson(one) === canonicalJson(other)
const isSameDraft = (automation: Automation, { definition, scenarios = automation.scenarios }: TextForm) =>
  isSame([automation.definition, automation.scenarios], [definition, scenarios])

const depsOf = (pools: WorkspaceContext['pools']) => ({ sql: pools.sql, compiled: createCompiledCache() })

/**
 * A draft that differs from what is in force is somebody's work that is nowhere else, and so are scenarios that were changed on the
 * server; undefined where nothing of it would be lost.
 */
async function ownerOfDraft(
  { pools, caller }: Pick<WorkspaceContext, 'pools' | 'caller'>,
  automation: Automation,
  form: TextForm,
): Promise<string | undefined> {
  const { publishedVersion, draftChanged, id } = automation
  if (isSameDraft(automation, form)) return undefined
  if (!draftChanged) {
    if (form.scenarios === undefined || isSame(automation.scenarios, form.scenarios)) return undefined
    const by = await scenariosChangedBy(pools.sql, { workspaceId: caller.workspaceId, id })
    return by === undefined || by === 'operator'
      ? undefined
      : 'the scenarios on the server were changed there, so they would be lost.'
  }
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
    `Next 24 hours: ${timersBefore} timers end, ${timersAfter} with it; ${mailsText(mailsBefore)} mails, ${mailsText(mailsAfter)} with it${isEstimate ? ' (estimated)' : ''}`,
    ...faults.map(({ pointer, detail }) => `Publishing is refused: ${pointer} ${detail}`),
  ]
}

/** `4`, `0 to 11`, or `2 or more` where there is no bound. */
function mailsText({ atLeast, atMost }: PublishPreview['nextDay']['mailsAfter']): string {
  if (atMost === null) return `${atLeast} or more`
  return atLeast === atMost ? String(atMost) : `${atLeast} to ${atMost}`
}

async function found({ pools, caller }: Pick<WorkspaceContext, 'pools' | 'caller'>, id: string): Promise<Automation> {
  return readAutomation(pools.sql, { workspaceId: caller.workspaceId, id }).catch(missing(`automation ${id}`))
}

/** The entity tag of the automation without its quotes, which shells would take. */
const tagOf = (automation: Automation) => etagOf(automation).replaceAll('"', '')
const matching = (tag: string) => `"${tag}"`
