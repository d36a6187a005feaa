import { createHash } from 'node:crypto'
import type { BuiltApp } from '../dashboard/built-app.ts'

/** Scripts for the pages of other sites; the tracker and sign-up forms, each an entry of that name in `tracker/`. */
export const SCRIPT_NAMES = ['t', 'f'] as const
export type ScriptName = (typeof SCRIPT_NAMES)[number]

export const HASH_CHARS = 16

export type BuiltScript = {
  /** Stands in the address of exactly these bytes. */
  hash: string
  type: string
  /** The bytes as they are, and compressed in the way that `encoding` names. */
  forms: readonly { bytes: Buffer; encoding: string | undefined }[]
}

/** Ways to ask for a file, which bring all its forms. */
const ACCEPTED = [undefined, 'br', 'gzip'] as const

/** The scripts as they were built last, read anew only when there is another build. */
export function createBuiltScripts(built: Pick<BuiltApp, 'stamp' | 'asset'>) {
  const known = new Map<ScriptName, { stamp: string; script: BuiltScript }>()

  return {
    /** Undefined while there is no build. */
    async script(name: ScriptName): Promise<BuiltScript | undefined> {
      const stamp = await built.stamp()
      const before = known.get(name)
      if (stamp === undefined || before?.stamp === stamp) return before?.script
      const forms = await Promise.all(ACCEPTED.map((accepted) => built.asset('scripts', `${name}.js`, accepted)))
      const [plain] = forms
      if (plain === undefined) return undefined
      const hash = createHash('sha256').update(plain.bytes).digest('hex').slice(0, HASH_CHARS)
      const script = { hash, type: plain.type, forms: forms.filter((form) => form !== undefined) }
      known.set(name, { stamp, script })
      return script
    },
  }
}

export type BuiltScripts = ReturnType<typeof createBuiltScripts>

/** The form that a client takes: the smallest, as far as `Accept-Encoding` allows it. */
export function formFor({ forms }: BuiltScript, takes: (encoding: string) => boolean) {
  const allowed = forms.filter(({ encoding }) => encoding === undefined || takes(encoding))
  return allowed.reduce((best, form) => (form.bytes.length < best.bytes.length ? form : best))
}
