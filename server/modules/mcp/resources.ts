import { readdir, readFile } from 'node:fs/promises'
import type { CallOperation } from '../tool.ts'

const SCHEME = 'postroom://'
const GUIDES = new URL('../../../docs/guides/', import.meta.url)
const GUIDE = /^docs\/([a-z][a-z-]{0,40})$/
const TEMPLATE = /^templates\/([0-9]{1,19})$/
const REPORT = /^broadcasts\/([0-9]{1,19})\/report$/
const OPERATION = /^openapi\/([A-Za-z]{1,40}_[A-Za-z]{1,40})$/

type Resource = { mimeType: string; text: string }

/** The guides; everything else is behind a template. */
export async function resourceList() {
  return (await guideNames()).map((name) => ({
    uri: `${SCHEME}docs/${name}`,
    name: `docs/${name}`,
    title: `Guide: ${name}`,
    mimeType: 'text/markdown',
  }))
}

export async function guideNames(): Promise<string[]> {
  const files = await readdir(GUIDES).catch(() => [])
  return files
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .sort()
}

export type ResourceTemplate = {
  uriTemplate: string
  name: 'guide' | 'operation' | 'template' | 'report'
  title: string
  mimeType: string
}

export const RESOURCE_TEMPLATES: ResourceTemplate[] = [
  { uriTemplate: `${SCHEME}docs/{guide}`, name: 'guide', title: 'Guide', mimeType: 'text/markdown' },
  {
    uriTemplate: `${SCHEME}openapi/{operationId}`,
    name: 'operation',
    title: 'Operation of the API',
    mimeType: 'application/json',
  },
  { uriTemplate: `${SCHEME}templates/{id}`, name: 'template', title: 'Template', mimeType: 'application/json' },
  {
    uriTemplate: `${SCHEME}broadcasts/{id}/report`,
    name: 'report',
    title: 'Report of a broadcast',
    mimeType: 'application/json',
  },
]

/** The text of a resource, read as the agent's token; undefined when there is none. `tool` is the tool that shows the like. */
export async function readResource(
  uri: string,
  { call, runTool }: { call: CallOperation; runTool: (name: string, input: object) => Promise<object | undefined> },
): Promise<Resource | undefined> {
  const path = uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : ''
  const guide = GUIDE.exec(path)?.[1]
  if (guide !== undefined) return guideOf(guide)
  const templateId = TEMPLATE.exec(path)?.[1]
  if (templateId !== undefined) return asJson(await runTool('template_get', { templateId }))
  const broadcastId = REPORT.exec(path)?.[1]
  if (broadcastId !== undefined) return asJson(await runTool('broadcast_report', { broadcastId }))
  const operationId = OPERATION.exec(path)?.[1]
  return operationId === undefined ? undefined : asJson(operationOf(await call('GET /api/openapi.json'), operationId))
}

async function guideOf(name: string): Promise<Resource | undefined> {
  const text = await readFile(new URL(`${name}.md`, GUIDES), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : { mimeType: 'text/markdown', text }
}

function asJson(value: object | undefined): Resource | undefined {
  return value && { mimeType: 'application/json', text: JSON.stringify(value) }
}

type Document = { paths: Record<string, Record<string, { operationId?: string }>> }

function operationOf({ paths }: Document, operationId: string): object | undefined {
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (operation.operationId === operationId) return { method: method.toUpperCase(), path, ...operation }
    }
  }
  return undefined
}
