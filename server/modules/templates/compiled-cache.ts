import { createHash } from 'node:crypto'
import { type Compilation, compileTemplate, type TemplateSource } from './compile-template.ts'

const TEMPLATES_MAX = 200
/** Of the sources of everything that is kept; parsed, they take some ten times that in memory. */
const CHARS_MAX = 4_000_000
/** The size that a failed compilation counts as. */
const FAULTY_CHARS = 1_000

export type CompiledCache = { compile(source: TemplateSource): Promise<Compilation> }

/**
 * Compiles each template once for as long as it is in use, whoever asks: the content is the key, so a change needs no
 * word to anybody and equal templates are one. The longest unused leaves first.
 */
export function createCompiledCache(compile: typeof compileTemplate = compileTemplate): CompiledCache {
  const kept = new Map<string, { compilation: Promise<Compilation>; chars: number }>()
  let chars = 0

  const forget = (key: string) => {
    chars -= kept.get(key)?.chars ?? 0
    kept.delete(key)
  }
  const keep = (key: string, compilation: Compilation) => {
    const entry = kept.get(key)
    if (entry === undefined) return
    entry.chars = compilation.outcome === 'compiled' ? compilation.template.chars : FAULTY_CHARS
    chars += entry.chars
    for (const oldest of kept.keys()) {
      if (kept.size <= TEMPLATES_MAX && chars <= CHARS_MAX) break
      if (oldest !== key) forget(oldest)
    }
  }

  return {
    async compile(source) {
      const key = keyOf(source)
      const found = kept.get(key)
      if (found) {
        // The last place in the map is that of the last used.
        kept.delete(key)
        kept.set(key, found)
        return found.compilation
      }
      const compilation = compile(source)
      kept.set(key, { compilation, chars: 0 })
      try {
        keep(key, await compilation)
      } catch (error) {
        forget(key)
        throw error
      }
      return compilation
    },
  }
}

function keyOf({ subject, body, text }: TemplateSource): string {
  return createHash('sha256')
    .update(JSON.stringify([subject, body, text]))
    .digest('base64')
}
