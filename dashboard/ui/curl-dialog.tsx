import { useState } from 'react'
import { filled, searchOf } from '../lib/site.ts'
import type { ApiOperation } from '../lib/site-types.ts'
import type { CurlRequest } from './as-curl.tsx'
import { Button } from './controls.tsx'
import { copyText } from './copyable.tsx'
import { Dialog } from './dialog.tsx'

export default function CurlDialog({ request, onClose }: { request: CurlRequest<ApiOperation>; onClose: () => void }) {
  const [copied, setCopied] = useState(false)
  const text = curlOf(request)
  return (
    <Dialog wide title="The same by the API" opened onClose={onClose}>
      <p className="soft">
        Set <code>TOKEN</code> to an API token that has the scope. The answer is what this page shows.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long line is scrolled by keys too */}
      <pre className="code" tabIndex={0}>
        {text}
      </pre>
      <div className="form-actions">
        <Button
          kind="primary"
          data-autofocus
          onClick={async () => {
            await copyText(text)
            setCopied(true)
          }}
        >
          {copied ? 'Copied' : 'Copy'}
        </Button>
      </div>
    </Dialog>
  )
}

function curlOf({ operation, params, query, body }: CurlRequest<ApiOperation>): string {
  const [method = 'GET', path = ''] = operation.split(' ')
  const url = `${location.origin}/api${filled(path, params as Record<string, string> | undefined)}${searchOf(query)}`
  const lines = [`curl ${method === 'GET' ? '' : `-X ${method} `}'${url}'`, `-H "Authorization: Bearer $TOKEN"`]
  if (body !== undefined)
    lines.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`)
  return lines.join(' \\\n  ')
}
