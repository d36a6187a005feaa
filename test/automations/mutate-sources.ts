import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { MUTANTS } from './mutants.ts'
import { mutated } from './mutate.ts'

/*
 * Has a process run the engine of the mutant that AUTOMATION_MUTANT names. It is the last to be loaded before everything else (`--import`), so
 * that no other hook knows the sources better.
 */

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const name = process.env.AUTOMATION_MUTANT
const mutant = MUTANTS.find((one) => one.name === name)
if (!mutant) throw new Error(`there is no mutant ${name}`)
const changesOf = Map.groupBy(mutant.changes, ({ file }) => ROOT + file)

registerHooks({
  load(url, context, nextLoad) {
    const path = url.startsWith('file:') ? fileURLToPath(url) : ''
    const changes = changesOf.get(path)
    if (changes === undefined) return nextLoad(url, context)
    changesOf.delete(path)
    const source = changes.reduce(mutated, readFileSync(path, 'utf8'))
    return { format: 'module-typescript', source, shortCircuit: true }
  },
})

process.on('exit', () => {
  if (changesOf.size > 0) console.error(`nobody has loaded ${[...changesOf.keys()]}: it was no mutant`)
})
