import { useMemo } from 'react';
import { encode } from 'uqr';

interface QrCodeProps {
  readonly text: string;
  readonly label: string;
}

/** Dark on white with a margin in every theme, because cameras need that. */
export function QrCode({ text, label }: QrCodeProps) {
  const { path, size } = useMemo(() => {
    const { data, size: side } = encode(text, { border: 2 });
    const cells = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { path: cells.join(''), size: side };
  }, [text]);
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      className="size-full rounded-xl bg-white"
      shapeRendering="crispEdges"
      role="img"
      aria-label={label}
    >
      <path d={path} fill="#111" />
    </svg>
  );
}
