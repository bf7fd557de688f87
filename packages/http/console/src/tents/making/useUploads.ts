// Files for the AI, uploaded as they are chosen. The first one creates an idle page that holds them.
import type { Asset } from "@tentpole/client"
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { api } from "../../api/client.ts"

/** Files of one request. */
export const files_max = 5

const formOf = (file: File): FormData => {
  const form = new FormData()
  form.append("file", file)
  return form
}

/** `tentId`: an idle page that exists. Null: the first file creates one. */
export const useUploads = (tentId: string | null) => {
  const stale = useQueryClient()
  const [files, setFiles] = useState<ReadonlyArray<Asset>>([])
  /** The page that holds the files. */
  const [holder, setHolder] = useState(tentId)
  const upload = useMutation({
    mutationFn: async (chosen: ReadonlyArray<File>) => {
      let at = holder
      // One after the other: the first one creates the page of the others.
      for (const file of chosen.slice(0, files_max - files.length)) {
        const payload = formOf(file)
        const asset = await (at === null
          ? api.tentAssets.uploadFirst({ payload })
          : api.tentAssets.upload({ params: { tentId: at }, payload }))
        at = asset.actual_tent_id
        setHolder(at)
        setFiles((before) => [...before, asset])
      }
    },
  })
  const remove = (asset: Asset) => {
    setFiles((before) => before.filter(({ asset_id }) => asset_id !== asset.asset_id))
    void api.tentAssets.remove({ params: { tentId: asset.actual_tent_id, asset_id: asset.asset_id } })
  }
  return {
    files,
    isUploading: upload.isPending,
    error: upload.error,
    upload: (chosen: ReadonlyArray<File>) => upload.mutate(chosen),
    remove,
    chosen:
      holder === null || files.length === 0
        ? null
        : { tentId: holder, assetIds: files.map(({ asset_id }) => asset_id) },
    /** Deletes the page that only held the files. */
    discard: () => {
      if (tentId !== null || holder === null) return
      void api.tents.remove({ params: { tentId: holder } }).then(() => stale.invalidateQueries({ queryKey: ["tents"] }))
    },
  }
}

export type Uploads = ReturnType<typeof useUploads>
