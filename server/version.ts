import { execFileSync, type StdioOptions } from 'node:child_process'
import manifest from '../package.json' with { type: 'json' }

export const VERSION: string = manifest.version

/** The commit of a checkout, for `target_info`; `unknown` in a copy without its history. */
export function commitOf(): string {
  try {
    const options = {
      cwd: import.meta.dirname,
      encoding: 'utf8' as const,
      stdio: ['ignore', 'pipe', 'ignore'] as StdioOptions,
    }
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], options).trim()
  } catch {
    return 'unknown'
  }
}
