// A picture in the block editor: its name in a box. It is on another host, which would see that it is loaded.
import { useEditorImage } from "@react-email/editor/plugins"
import { useMemo } from "react"

const boxOf = (src: string, alt: string): HTMLElement => {
  const box = document.createElement("div")
  box.className = "picture"
  box.title = src
  box.textContent = alt === "" ? (src.split("/").at(-1) ?? src) : alt
  return box
}

/** Files have no place to go: pictures are named by their address. */
const uploadImage = () => Promise.reject(new Error("pictures are inserted by their address"))

export const usePicture = (): ReturnType<typeof useEditorImage> => {
  const image = useEditorImage({ uploadImage })
  return useMemo(
    () =>
      image.extend({
        addNodeView:
          () =>
          ({ node: { attrs } }) => ({ dom: boxOf(String(attrs["src"]), String(attrs["alt"])) }),
      }),
    [image],
  )
}
