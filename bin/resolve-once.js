import { registerHooks } from 'node:module'
import { findPacked } from './packed-packages.js'

/*
 * Resolves imports. Files of ours and of packages name each other in full, so there is nothing to look for; Node.js asks the file system
 * of each whether it is a link, and which package it belongs to: 5,000 times a start, and a quarter of the processor time that loading
 * takes. A package that our files name is looked for once, since all of them find the same one; where it has been packed
 * (`bin/pack-packages.js`), it is that. With POSTROOM_UNPACKED=1 all are read as npm laid them, to look into one.
 */

const ROOT = new URL('../', import.meta.url).href
const PACKAGES = `${ROOT}node_modules/`

/** @type {Map<string, import('node:module').ResolveFnOutput>} */
const packages = new Map()
if (!process.env.POSTROOM_UNPACKED) {
  for (const [name, url] of findPacked()) packages.set(name, { url, format: 'module', shortCircuit: true })
}

registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL, conditions } = context
    // What is required may be another file than what is imported.
    if (!parentURL?.startsWith(ROOT) || !conditions?.includes('import')) return nextResolve(specifier, context)
    if (/^\.\.?\/.*\.ts$/.test(specifier)) return { ...fileOf(specifier, parentURL), format: 'module-typescript' }
    if (/^\.\.?\/.*\.m?js$/.test(specifier)) return fileOf(specifier, parentURL)
    const isPackage = /^[a-z@][^:]*$/.test(specifier) && !parentURL.startsWith(PACKAGES)
    return isPackage ? resolvedOnce(specifier, context, nextResolve) : nextResolve(specifier, context)
  },
})

/**
 * @param {string} specifier
 * @param {string} parentUrl
 */
const fileOf = (specifier, parentUrl) => ({ url: new URL(specifier, parentUrl).href, shortCircuit: true })

/**
 * @param {string} specifier
 * @param {import('node:module').ResolveHookContext} context
 * @param {(specifier: string, context: import('node:module').ResolveHookContext) => import('node:module').ResolveFnOutput} nextResolve
 */
function resolvedOnce(specifier, context, nextResolve) {
  const known = packages.get(specifier)
  if (known) return known
  const resolved = { ...nextResolve(specifier, context), shortCircuit: true }
  packages.set(specifier, resolved)
  return resolved
}
