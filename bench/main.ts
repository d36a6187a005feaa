import { readdir, readFile } from 'node:fs/promises'
import os from 'node:os'
import pg from 'pg'

/** A benchmark's first sentence is what the list shows. */
const DOCUMENTED_RUN = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export async function run\(/

const USAGE = `usage: npm run bench -- <name> [arguments of that benchmark]

A benchmark is a file of this folder that exports \`run(args)\`. It starts what it needs, loads only this machine, and prints
ratios of numbers measured in one run. With DATABASE_URL set, those that use PostgreSQL use that server.
`

const [name, ...args] = process.argv.slice(2)
const benchmarks = await listBenchmarks()
if (name === undefined || name === '--help' || name === '-h') {
  console.log(`${USAGE}\n${describe(benchmarks)}`)
} else if (!benchmarks.has(name)) {
  console.error(`no benchmark is called ${JSON.stringify(name)}\n\n${describe(benchmarks)}`)
  process.exitCode = 2
} else {
  console.log(await machineFacts(process.env.DATABASE_URL))
  const { run } = (await import(`./${name}.ts`)) as { run: (args: readonly string[]) => Promise<unknown> }
  await run(args)
}

/** Name and description of every benchmark, read without importing any: some files here are bodies of worker threads. */
async function listBenchmarks(): Promise<Map<string, string>> {
  const benchmarks = new Map<string, string>()
  for (const file of (await readdir(import.meta.dirname)).sort()) {
    const [, comment] = DOCUMENTED_RUN.exec(await readFile(`${import.meta.dirname}/${file}`, 'utf8')) ?? []
    if (comment === undefined) continue
    const text = comment
      .replace(/^\s*\*\s?/gm, '')
      .replace(/\s+/g, ' ')
      .trim()
    benchmarks.set(file.replace(/\.ts$/, ''), /^.*?[.:](?=\s|$)/.exec(text)?.[0].replace(/[.:]$/, '') ?? text)
  }
  return benchmarks
}

function describe(benchmarks: ReadonlyMap<string, string>): string {
  const width = Math.max(...[...benchmarks.keys()].map((key) => key.length))
  return [...benchmarks].map(([key, text]) => `  ${key.padEnd(width)}  ${text}`).join('\n')
}

/** Facts of the machine that a number depends on, in one line. */
async function machineFacts(databaseUrl: string | undefined): Promise<string> {
  const { model = 'unknown processor' } = os.cpus()[0] ?? {}
  const memoryGiB = Math.round(os.totalmem() / 2 ** 30)
  const machine = `${os.availableParallelism()} cores (${model.trim()}), ${memoryGiB} GiB, ${os.type()} ${os.arch()}`
  const postgres = databaseUrl === undefined ? 'embedded' : await serverVersion(databaseUrl)
  return `machine: ${machine}, Node.js ${process.versions.node}, PostgreSQL ${postgres}`
}

async function serverVersion(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return rows[0]?.server_version ?? 'of unknown version'
  } finally {
    await client.end()
  }
}
