import { glob } from 'node:fs/promises'

const ALL_TESTS = ['server/**/*.test.ts', 'test/**/*.test.ts']
const SLOWEST_DEFAULT = 20

export type RunArguments = {
  files: string[]
  /** How many of the slowest files are printed. */
  slowest: number
  concurrency: number | undefined
  /** Options that are not the run's: `--test-name-pattern=…`. */
  nodeOptions: string[]
}

/** Reads the command line of `npm test`. Patterns of files begin in `root`; without one, all tests are meant. */
export async function readArguments(args: readonly string[], root: string): Promise<RunArguments> {
  const options = args.filter((arg) => arg.startsWith('-'))
  const patterns = args.filter((arg) => !arg.startsWith('-'))
  const files: string[] = []
  for await (const file of glob(patterns.length > 0 ? patterns : ALL_TESTS, { cwd: root })) files.push(file)
  if (files.length === 0) throw new Error(`no test file is called ${patterns.join(' or ')}`)
  return {
    files: [...new Set(files)].sort(wholeServiceFirst),
    slowest: numberOf(options, '--slowest', SLOWEST_DEFAULT) ?? 0,
    concurrency: numberOf(options, '--concurrency'),
    nodeOptions: options.filter((option) => !/^--(slowest|concurrency)(=|$)/.test(option)),
  }
}

/** Files about the whole service take longest: with them first, no long one is left alone at the end. */
function wholeServiceFirst(a: string, b: string): number {
  return Number(b.startsWith('test/')) - Number(a.startsWith('test/')) || a.localeCompare(b)
}

/** The number in `--name=3`; of a bare `--name` the one that is meant by it. */
function numberOf(options: readonly string[], name: string, bare?: number): number | undefined {
  const option = options.findLast((given) => given === name || given.startsWith(`${name}=`))
  if (option === undefined) return undefined
  const number = option === name ? bare : Number(option.slice(name.length + 1))
  if (number === undefined || !(number > 0)) throw new Error(`${option}: ${name} takes a number above 0`)
  return number
}
