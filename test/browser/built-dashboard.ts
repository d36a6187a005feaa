import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const ROOT = path.join(import.meta.dirname, '..', '..')
const BUILDS = path.join(ROOT, 'dashboard', 'dist')

/** Builds the dashboard if it is not as its sources are; the folder of the build. */
export async function builtDashboard(): Promise<string> {
  await promisify(execFile)(process.execPath, [path.join(ROOT, 'bin', 'build-dashboard.js')])
  return path.join(BUILDS, (await readFile(path.join(BUILDS, 'current'), 'utf8')).trim())
}
