// The pictures of the fake AI's pages: flat drawings in the colours of the palette, as inline SVG.

/** Classes: `t` a tint, `m` a mixed tone, `o` the own colour, `g` the ground, `s` a stroke in the own colour, `w` one in the ground's. */
const drawings = {
  bread: `<ellipse class="t" cx="240" cy="318" rx="196" ry="26"/>
<path class="o" d="M70 250c-26-84 58-136 170-136s196 52 170 136c-8 28-28 54-60 54H130c-32 0-52-26-60-54z"/>
<path class="w" d="M150 148l44 66M222 136l44 66M294 142l44 66"/>
<path class="s" d="M176 88c-12-16 12-26 0-44M240 80c-12-16 12-26 0-44M304 88c-12-16 12-26 0-44"/>`,
  cup: `<ellipse class="t" cx="228" cy="322" rx="176" ry="24"/>
<path class="o" d="M104 160h240v62c0 56-44 92-120 92s-120-36-120-92z"/>
<path class="s" d="M344 184h26c34 0 34 68-6 76h-34"/>
<path class="m" d="M104 160h240c0 22-54 36-120 36s-120-14-120-36z"/>
<path class="s" d="M172 128c-14-20 14-32 0-54M228 120c-14-20 14-32 0-54M284 128c-14-20 14-32 0-54"/>`,
  plate: `<circle class="g" cx="240" cy="200" r="128"/><circle class="t" cx="240" cy="200" r="112"/><circle class="g" cx="240" cy="200" r="84"/>
<path class="m" d="M176 226c0-40 30-62 64-62s64 22 64 62z"/><path class="o" d="M168 226h144c0 22-18 34-40 34h-64c-22 0-40-12-40-34z"/>
<path class="s" d="M216 142c-8-11 8-18 0-30M240 136c-8-11 8-18 0-30M264 142c-8-11 8-18 0-30"/>
<path class="s" d="M66 96v64c0 26 34 26 34 0V96M83 96v210M408 306V96c-26 14-34 60-30 112h30"/>`,
  leaf: `<ellipse class="t" cx="240" cy="324" rx="180" ry="22"/>
<path class="o" d="M240 250c-96 0-136-70-132-156 92-4 142 56 132 156z"/>
<path class="m" d="M240 276c0-72 44-124 140-120 2 78-52 124-140 120z"/>
<path class="w" d="M132 120c40 30 76 70 100 122M352 178c-40 20-76 50-100 88"/>
<path class="s" d="M240 322V230"/><path class="o" d="M164 300h152l-14 46H178z"/>`,
  mountain: `<circle class="m" cx="356" cy="110" r="46"/>
<path class="m" d="M40 330l130-190 74 104 42-56 154 142z"/>
<path class="o" d="M20 340l150-226 96 136 34-46 96 136z"/><path class="g" d="M170 114l46 66-28-8-20 22-22-22-20 10z"/>`,
  screen: `<rect class="o" x="70" y="74" width="340" height="216" rx="18"/><rect class="g" x="88" y="92" width="304" height="180" rx="8"/>
<circle class="t" cx="240" cy="182" r="58"/><path class="o" d="M222 150l54 32-54 32z"/>
<rect class="m" x="206" y="290" width="68" height="36"/><rect class="o" x="156" y="322" width="168" height="16" rx="8"/>
<rect class="m" x="108" y="248" width="180" height="10" rx="5"/><rect class="t" x="288" y="248" width="84" height="10" rx="5"/>`,
  window: `<rect class="g" x="60" y="70" width="360" height="260" rx="18"/><path class="o" d="M78 70h324a18 18 0 0 1 18 18v34H60V88a18 18 0 0 1 18-18z"/>
<circle class="g" cx="88" cy="96" r="8"/><circle class="g" cx="114" cy="96" r="8"/><circle class="g" cx="140" cy="96" r="8"/>
<rect class="t" x="84" y="146" width="92" height="160" rx="10"/><rect class="m" x="100" y="164" width="60" height="10" rx="5"/><rect class="m" x="100" y="188" width="44" height="10" rx="5"/><rect class="m" x="100" y="212" width="54" height="10" rx="5"/>
<path class="t" d="M200 146h196v160H200z"/><path class="o" d="M224 246h28v42h-28zM268 214h28v74h-28zM312 230h28v58h-28z"/><path class="m" d="M356 182h22v106h-22z"/>`,
  flags: `<path class="s" d="M30 86c100 66 320 66 420 0"/>
<path class="o" d="M66 108l52 22-36 40z"/><path class="m" d="M150 136l56 8-30 48z"/><path class="o" d="M238 146l56-4-22 52z"/><path class="m" d="M326 136l52-18-8 56z"/>
<path class="o" d="M128 330V240h224v90z"/><path class="m" d="M240 176l140 68H100z"/><path class="g" d="M216 330v-56h48v56z"/>
<circle class="m" cx="70" cy="240" r="9"/><circle class="o" cx="410" cy="226" r="9"/><circle class="m" cx="430" cy="290" r="7"/><circle class="o" cx="48" cy="300" r="7"/>`,
  heart: `<ellipse class="t" cx="240" cy="322" rx="150" ry="20"/>
<path class="o" d="M240 300C120 226 96 170 112 126c20-54 96-56 128 2 32-58 108-56 128-2 16 44-8 100-128 174z"/>
<path class="w" d="M118 200h70l22-44 34 84 26-52 14 12h78"/>`,
  chart: `<rect class="g" x="70" y="70" width="340" height="256" rx="18"/>
<path class="t" d="M110 216h48v76h-48z"/><path class="m" d="M184 172h48v120h-48z"/><path class="o" d="M258 196h48v96h-48zM332 126h48v166h-48z"/>
<path class="s" d="M110 172l84-48 76 26 98-62"/>`,
  storefront: `<rect class="g" x="90" y="160" width="300" height="170"/><path class="o" d="M96 80h288l36 84H60z"/>
<path class="m" d="M60 164h72c0 44-72 44-72 0zM204 164h72c0 44-72 44-72 0zM348 164h72c0 44-72 44-72 0z"/><path class="o" d="M132 164h72c0 44-72 44-72 0zM276 164h72c0 44-72 44-72 0z"/>
<rect class="t" x="116" y="216" width="126" height="82" rx="6"/><path class="o" d="M272 216h84v114h-84z"/><circle class="g" cx="342" cy="276" r="6"/>
<path class="m" d="M60 330h360v14H60z"/>`,
  briefcase: `<ellipse class="t" cx="240" cy="326" rx="190" ry="22"/><path class="s" d="M190 132v-26c0-14 8-22 22-22h56c14 0 22 8 22 22v26"/>
<rect class="o" x="86" y="132" width="308" height="186" rx="22"/><path class="m" d="M86 196c90 50 218 50 308 0v30c-90 50-218 50-308 0z"/><rect class="g" x="216" y="212" width="48" height="34" rx="8"/>`,
  bell: `<ellipse class="t" cx="240" cy="330" rx="150" ry="18"/><path class="o" d="M240 76c-62 0-96 48-96 104 0 66-22 84-42 104h276c-20-20-42-38-42-104 0-56-34-104-96-104z"/>
<path class="m" d="M206 300h68c0 44-68 44-68 0z"/><circle class="o" cx="240" cy="70" r="16"/><path class="s" d="M96 132c4-30 18-52 38-68M384 132c-4-30-18-52-38-68"/><path class="w" d="M190 160c6-22 18-34 36-40"/>`,
  tag: `<path class="o" d="M226 78h142a20 20 0 0 1 20 20v142L232 340a22 22 0 0 1-31 0L96 234a22 22 0 0 1 0-31z"/><circle class="g" cx="338" cy="128" r="22"/>
<path class="w" d="M184 262l88-76"/><circle class="g" cx="188" cy="206" r="17"/><circle class="g" cx="262" cy="246" r="17"/>`,
  shapes: `<circle class="m" cx="316" cy="128" r="64"/><path class="m" d="M0 270C90 190 170 210 250 258s170 10 230-22v164H0z"/><path class="o" d="M0 322c110-64 200-52 290-10s150 6 190-10v98H0z"/>`,
} as const

export type MotifName = keyof typeof drawings

export const motif = (name: MotifName): string =>
  `<svg class="art" viewBox="0 0 480 400" aria-hidden="true"><rect class="back" width="480" height="400"/>${drawings[name]}</svg>`
