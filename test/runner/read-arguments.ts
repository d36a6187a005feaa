import { glob } from 'node:fs/promises'

const ALL_TESTS = ['server/**/*.test.ts', 'test/**/*.test.ts']
/** Stories in a browser, which take as long as half of all else: a run has every second one. */
const STORIES = /^test\/browser\/(?!routes|roles|size)/
const STORY_SHARES = 2
const SLOWEST_DEFAULT = 20
/** Multiples of it, without their whole part, lie evenly, and those of neighbours far apart. */
const GOLDEN_RATIO = (Math.sqrt(5) - 1) / 2

export type RunArguments = {
  files: string[]
  /** How many of the slowest files are printed. */
  slowest: number
  concurrency: number | undefined
  /** Options that are not the run's: `--test-name-pattern=…`. */
  nodeOptions: string[]
}

/**
 * Reads the command line of `npm test`. Patterns of files begin in `root`; without one, all tests are meant, of the stories in a browser
 * those of the seed: `npm run test:browser` runs all of these.
 */
export async function readArguments(args: readonly string[], root: string, seed = 0): Promise<RunArguments> {
  const options = args.filter((arg) => arg.startsWith('-'))
  const patterns = args.filter((arg) => !arg.startsWith('-'))
  const files: string[] = []
  for await (const file of glob(patterns.length > 0 ? patterns : ALL_TESTS, { cwd: root })) files.push(file)
  if (files.length === 0) throw new Error(`no test file is called ${patterns.join(' or ')}`)
  const sorted = [...new Set(files)].sort()
  return {
    files: inTurns(patterns.length > 0 ? sorted : withShare(sorted, seed)),
    slowest: numberOf(options, '--slowest', SLOWEST_DEFAULT) ?? 0,
    concurrency: numberOf(options, '--concurrency'),
    nodeOptions: options.filter((option) => !/^--(slowest|concurrency)(=|$)/.test(option)),
  }
}

/** All files, and of the stories the share that a seed draws. */
export function withShare(files: readonly string[], seed: number): string[] {
  const stories = files.filter((file) => STORIES.test(file))
  return files.filter((file) => !STORIES.test(file) || stories.indexOf(file) % STORY_SHARES === seed % STORY_SHARES)
}

/**
 * The order in which files begin. Those about the whole service are first: they take longest, and none is left alone at the
 * end. Files of one folder want the same of a machine (a browser processors, a process that is killed time), so those of each
 * are spread over all the others, and neighbours by name, which are parts of one table, far apart.
 */
export function inTurns(files: readonly string[]): string[] {
  const folders = Map.groupBy(files, (file) => file.split('/').slice(0, 2).join('/'))
  const placed = [...folders.values()].flatMap((own) => own.map((file, n) => ({ file, place: (n * GOLDEN_RATIO) % 1 })))
  const isWhole = ({ file }: { file: string }) => Number(file.startsWith('test/'))
  return placed.sort((a, b) => isWhole(b) - isWhole(a) || a.place - b.place).map(({ file }) => file)
}

/** The number in `--name=3`; of a bare `--name` the one that is meant by it. */
function numberOf(options: readonly string[], name: string, bare?: number): number | undefined {
  const option = options.findLast((given) => given === name || given.startsWith(`${name}=`))
  if (option === undefined) return undefined
  const number = option === name ? bare : Number(option.slice(name.length + 1))
  if (number === undefined || !(number > 0)) throw new Error(`${option}: ${name} takes a number above 0`)
  return number
}
