import { type Command, InvalidArgumentError } from 'commander'
import type { Caller } from '../modules/auth/caller.ts'
import { namingAsGiven } from './name-as-given.ts'
import { operator } from './operator.ts'
import { type Said, tell } from './said.ts'
import { type CommandContext, withDatabase, workspaceIdOf } from './with-database.ts'

export type WorkspaceContext = CommandContext & { caller: Caller }

/**
 * Makes a command one on the database that says something: in words, or with `--json` as one document. `work` is given the
 * arguments and options by their names.
 */
export function saying<G extends object>(
  command: Command,
  work: (context: CommandContext, given: G) => Promise<Said>,
  { mayBeEmpty = false } = {},
): Command {
  return command.option('--json', 'print JSON, for programs').action(async () => {
    const given = givenTo(command) as G & { json?: true }
    const working = (context: CommandContext) => work(context, given).catch(namingAsGiven(command, { ...given }))
    await withDatabase(async (context) => tell(await working(context), given.json === true), { mayBeEmpty })
  })
}

/** The same for a command on one workspace, as the operator who may do everything there. */
export function sayingIn<G extends object>(
  command: Command,
  work: (context: WorkspaceContext, given: G) => Promise<Said>,
): Command {
  command.option('--workspace <slug>', 'the workspace', 'default')
  return saying<G & { workspace: string }>(command, async (context, given) => {
    const workspaceId = await workspaceIdOf(context.pools.sql, given.workspace)
    return work({ ...context, caller: operator(workspaceId) }, given)
  })
}

function givenTo(command: Command): Record<string, unknown> {
  const args = command.registeredArguments.map((one, place) => [one.name(), command.processedArgs[place]])
  return { ...command.opts(), ...Object.fromEntries(args) }
}

/** Reads an id; `shownBy` is the command that shows ids of its kind. */
export function idShownBy(shownBy: string): (value: string) => string {
  return (value) => {
    if (/^\d{1,18}$/.test(value)) return value
    throw new InvalidArgumentError(`An id is a number: "./postroom ${shownBy}" shows them.`)
  }
}

/** Reads a time, RFC 3339. */
export function time(value: string): string {
  const ms = Date.parse(value)
  if (!Number.isNaN(ms)) return new Date(ms).toISOString()
  throw new InvalidArgumentError('A time is RFC 3339, such as 2027-01-31T00:00:00Z.')
}

/** Reads names separated by commas. */
export function namesIn(value: string): string[] {
  return value.split(',').flatMap((name) => name.trim() || [])
}
