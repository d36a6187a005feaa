import { type Finding, importsOf, lineAt, resolve, type SourceFile } from './source-files.ts'

/*
 * Rules of `dashboard/`: `ui, lib <- features <- app`, a feature carries the name of the server's module, the kit is known
 * to `ui` alone, colours stand in its tokens, and parts that come later wait for the server.
 */

const LINES_MAX = 400
const KIT = /^(@mantine\/|get-nonce$)/
const COLOUR = /#[0-9a-f]{3,8}\b(?=[^<]*[;,)'"])|\brgb\(|\bhsl\(/i
const TOKENS = /^dashboard\/(ui\/(tokens\.css|theme\.ts)|.+\.svg)$/
/** Parts of a page that come later are loaded by it alone. */
const PARTS = 'dashboard/lib/load-part.ts'
const LAZY = /^import \{[^}]*\b(?:lazy|Suspense)\b[^}]*\} from 'react'/m

type Layer = 'lib' | 'ui' | 'features' | 'app'
/** Layers that each may import. */
const BELOW: Readonly<Record<Layer, readonly Layer[]>> = {
  lib: ['lib'],
  ui: ['ui', 'lib'],
  features: ['features', 'ui', 'lib'],
  app: ['app', 'features', 'ui', 'lib'],
}

export function dashboardFindings(files: readonly SourceFile[], modules: ReadonlySet<string>): Finding[] {
  return files
    .filter(({ path }) => layerOf(path) !== undefined)
    .flatMap((file) => [...shapeFindings(file, modules), ...importFindings(file)])
}

function layerOf(path: string): Layer | undefined {
  const [root, layer] = path.split('/')
  return root === 'dashboard' && layer !== undefined && layer in BELOW ? (layer as Layer) : undefined
}

function shapeFindings({ path, text }: SourceFile, modules: ReadonlySet<string>): Finding[] {
  const findings: Finding[] = []
  const lines = text.split('\n').length - 1
  if (lines > LINES_MAX)
    findings.push({ path, line: lines, message: `has ${lines} lines, at most ${LINES_MAX} are allowed` })
  const feature = featureOf(path)
  if (feature !== undefined && !modules.has(feature)) {
    findings.push({
      path,
      line: 1,
      message: `${feature} is no module of the server: a feature carries the name of one`,
    })
  }
  const lazy = text.search(LAZY)
  if (lazy >= 0) {
    const message = `loads a part by React's \`lazy\` or \`Suspense\`: \`lazyPart\` of ${PARTS} waits for a server that is away, and no longer than for the part`
    findings.push({ path, line: lineAt(text, lazy), message })
  }
  const colour = TOKENS.test(path) ? -1 : text.search(COLOUR)
  if (colour >= 0 && /\.(css|tsx?)$/.test(path)) {
    const message = 'states a colour: colours are named in dashboard/ui/tokens.css'
    findings.push({ path, line: lineAt(text, colour), message })
  }
  return findings
}

function featureOf(path: string): string | undefined {
  const [, layer, feature, ...inside] = path.split('/')
  return layer === 'features' && inside.length > 0 ? feature : undefined
}

function importFindings({ path, text }: SourceFile): Finding[] {
  const layer = layerOf(path)!
  return importsOf(text).flatMap(({ specifier, line }) => {
    const message = specifier.startsWith('.')
      ? refusedFile(path, layer, resolve(path, specifier))
      : KIT.test(specifier) && layer !== 'ui'
        ? `imports ${specifier}: the kit is behind dashboard/ui`
        : undefined
    return message === undefined ? [] : [{ path, line, message }]
  })
}

function refusedFile(path: string, layer: Layer, target: string): string | undefined {
  const to = layerOf(target)
  if (to === undefined)
    return `imports ${target}: the dashboard knows the server by its answers, and their types are in dashboard/lib`
  if (!BELOW[layer].includes(to)) return `imports ${target}: ui, lib <- features <- app`
  const [from, other] = [featureOf(path), featureOf(target)]
  if (from !== undefined && other !== undefined && from !== other && target.endsWith('/routes.tsx')) {
    return `imports ${target}: a feature's routes are its own`
  }
  return undefined
}
