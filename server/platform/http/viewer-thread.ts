import { parentPort } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import scalar from '@scalar/fastify-api-reference'
import Fastify from 'fastify'
import { iconOf } from './page.ts'

/** A viewer to make: where it is served, with its script below, and the path of the OpenAPI document that it shows. */
export type ViewerJob = { path: string; scriptPath: string; description: string }
/** `script` is compressed with gzip. */
export type Viewer = { page: string; script: Uint8Array }

const ICON = `<link rel="icon" href="${iconOf({})}">`

/** Reading and packing the script takes a second of processor time: nobody who waits for something else is to wait for that. */
async function makeViewer({ path, scriptPath, description }: ViewerJob): Promise<Viewer> {
  const app = Fastify()
  await app.register(scalar, {
    routePrefix: path as `/${string}`,
    configuration: {
      url: description,
      pageTitle: 'API reference',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      // The description has samples of its own.
      hiddenClients: true,
      agent: { disabled: true },
      mcp: { disabled: true },
      showDeveloperTools: 'never',
      authentication: { preferredSecurityScheme: 'bearer' },
    },
  })
  const page = await app.inject(`${path}/`)
  const script = await app.inject(scriptPath)
  await app.close()
  const own = page.body.replaceAll('js/scalar.js', scriptPath).replace('</title>', `</title>${ICON}`)
  return { page: own, script: gzipSync(script.rawPayload) }
}

parentPort?.on('message', (job: ViewerJob) => {
  void makeViewer(job).then((viewer) => parentPort?.postMessage(viewer))
})
parentPort?.postMessage('ready')
