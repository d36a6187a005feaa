import type { Command } from 'commander'
import { type FieldError, Problem } from '../platform/problem.ts'
import { CommandError } from './command-error.ts'

/** Fields of requests that commands take under a shorter name. */
const GIVEN_AS: Readonly<Record<string, string>> = {
  eventTypes: 'events',
  expectedCount: 'expect',
  expiresAt: 'expires',
  ownerEmail: 'owner',
  samplePercent: 'sample',
}

/**
 * Says faults of fields in the words of a command line: `--events "order.piad" is …` for `/eventTypes/0 is …`. A field that the
 * command does not take, such as one of a broadcast, is called by its name. Other errors come through as they are.
 */
export function namingAsGiven(command: Command, given: Readonly<Record<string, unknown>>): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Problem) || !saysFields(error)) throw error
    const faults = error.errors.map((fault) => `${nameOf(command, given, fault)} ${fault.detail}`)
    throw new CommandError(faults.join('; '), { cause: error })
  }
}

/** Whether it says no more than what is wrong with its fields. */
function saysFields(problem: Problem): problem is Problem & { errors: readonly [FieldError, ...FieldError[]] } {
  const [first] = problem.errors ?? []
  return first !== undefined && (problem.detail ?? '').startsWith(`${first.pointer} `)
}

function nameOf(command: Command, given: Readonly<Record<string, unknown>>, { pointer }: FieldError): string {
  const [field = '', place] = pointer.slice(1).split('/')
  const name = GIVEN_AS[field] ?? field
  const shown = command.options.find((option) => option.attributeName() === name)?.long ?? argumentOf(command, name)
  if (shown === undefined) return pointer.slice(1)
  const value = given[name]
  return Array.isArray(value) && place !== undefined ? `${shown} "${value[Number(place)]}"` : shown
}

function argumentOf(command: Command, name: string): string | undefined {
  return command.registeredArguments.some((argument) => argument.name() === name) ? `<${name}>` : undefined
}
