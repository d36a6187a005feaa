import { useState } from 'react'
import { useSite } from '../../lib/use-site.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FileField } from '../../ui/file-field.tsx'
import { Shown } from '../../ui/states.tsx'
import { AssetPicture } from './asset-picture.tsx'
import classes from './assets.module.css'
import { IMAGE_TYPES, useUpload } from './use-upload.ts'

const IMAGES_SHOWN = 100

/** An image of the workspace, or a new one. */
export default function AssetDialog({ onPick, onClose }: { onPick: (url: string) => void; onClose: () => void }) {
  const assets = useSite('GET /assets', { query: { pageSize: IMAGES_SHOWN } })
  const upload = useUpload()
  const [isBusy, setBusy] = useState(false)
  const add = async (file: File) => {
    setBusy(true)
    const asset = await upload(file)
    setBusy(false)
    if (asset) onPick(asset.url)
  }
  return (
    <Dialog wide title="Choose an image" opened onClose={onClose}>
      <div className={classes.dialog}>
        <FileField label="Drop an image here" accept={IMAGE_TYPES} busy={isBusy} onFile={(file) => void add(file)} />
        <Shown read={assets} rows={3}>
          {({ items }) => (
            <ul className={classes.grid} aria-label="Images">
              {items.map((asset) => (
                <li key={asset.id}>
                  <button type="button" className={classes.choice} onClick={() => onPick(asset.url)}>
                    <AssetPicture asset={asset} />
                    <span className={classes.name}>{asset.name}</span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </Shown>
      </div>
    </Dialog>
  )
}
