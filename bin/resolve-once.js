import { registerHooks } from 'node:module'

/*
 * Resolves imports of our own files. They name files as they are, so there is nothing to look for; Node.js asks the file system of each
 * whether it is a link, and which package it belongs to: 5,000 times a start, and a quarter of the processor time that loading takes. A
 * package is looked for once, since all our files find the same one.
 */

const ROOT = new URL('../', import.meta.url).href
const PACKAGES = `${ROOT}node_modules/`

/** @type {Map<string, import('node:module').ResolveFnOutput>} */
const packages = new Map()

registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL } = context
    if (!parentURL?.startsWith(ROOT) || parentURL.startsWith(PACKAGES)) return nextResolve(specifier, context)
    if (specifier.startsWith('.') && specifier.endsWith('.ts')) {
      return { url: new URL(specifier, parentURL).href, format: 'module-typescript', shortCircuit: true }
    }
    // What is required may be another file of the package than what is imported.
    if (/^[a-z@][^:]*$/.test(specifier) && context.conditions.includes('import'))
      return resolvedOnce(specifier, context, nextResolve)
    return nextResolve(specifier, context)
  },
})

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
