import type { Asset } from '../../lib/site-types.ts'
import classes from './assets.module.css'

/** A picture as it is kept, fetched from where the dashboard is, whatever the address that mails have. */
export function AssetPicture({ asset }: { asset: Asset }) {
  return (
    <span className={classes.picture}>
      <img src={new URL(asset.url).pathname} alt="" loading="lazy" width={asset.width} height={asset.height} />
    </span>
  )
}
