<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>AddCard</name>
    <message>
        <source>It captions</source>
        <translation>识别语言</translation>
    </message>
    <message>
        <source>Language that the model captions</source>
        <translation>该模型识别的语言</translation>
    </message>
    <message>
        <source>Copy its files; else they are used where they lie</source>
        <translation>复制模型文件；不复制则直接使用原处的文件</translation>
    </message>
    <message>
        <source>Add</source>
        <translation>添加</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Add {name}</source>
        <translation>添加 {name}</translation>
    </message>
    <message>
        <source>what its files tell</source>
        <translation>根据文件判断</translation>
    </message>
    <message>
        <source>Adding a model</source>
        <translation>添加模型</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>CaptionView</name>
    <message>
        <source>Captions</source>
        <translation>字幕</translation>
    </message>
</context>
<context>
    <name>Catalogue</name>
    <message>
        <source>Moonshine tiny (English)</source>
        <translation>Moonshine tiny（英语）</translation>
    </message>
    <message>
        <source>English on a small machine, early and with punctuation</source>
        <translation>适合配置较低的电脑识别英语，出字早，带标点</translation>
    </message>
    <message>
        <source>Whisper tiny (English)</source>
        <translation>Whisper tiny（英语）</translation>
    </message>
    <message>
        <source>English on a small machine, where Moonshine errs</source>
        <translation>适合配置较低的电脑识别英语，可在 Moonshine 效果不佳时使用</translation>
    </message>
    <message>
        <source>Whisper base (many languages)</source>
        <translation>Whisper base（多语言）</translation>
    </message>
    <message>
        <source>Any of 99 languages on a machine of some years</source>
        <translation>支持 99 种语言，适合几年前的电脑</translation>
    </message>
    <message>
        <source>Moonshine streaming tiny (English)</source>
        <translation>Moonshine streaming tiny（英语）</translation>
    </message>
    <message>
        <source>English on a small machine, with the words early</source>
        <translation>适合配置较低的电脑识别英语，出字早</translation>
    </message>
    <message>
        <source>Moonshine streaming small (English)</source>
        <translation>Moonshine streaming small（英语）</translation>
    </message>
    <message>
        <source>English with fewer errors, on a machine of some years</source>
        <translation>英语，错误较少，适合几年前的电脑</translation>
    </message>
    <message>
        <source>Moonshine streaming medium (English)</source>
        <translation>Moonshine streaming medium（英语）</translation>
    </message>
    <message>
        <source>English with few errors, on a fast processor</source>
        <translation>英语，错误少，需要较快的处理器</translation>
    </message>
    <message>
        <source>Zipformer (Chinese and English)</source>
        <translation>Zipformer（中文和英语）</translation>
    </message>
    <message>
        <source>Chinese with English words in between, early; no punctuation</source>
        <translation>中文，可夹杂英文单词，出字早；无标点</translation>
    </message>
    <message>
        <source>Zipformer CTC small (Chinese)</source>
        <translation>Zipformer CTC small（中文）</translation>
    </message>
    <message>
        <source>Chinese on a small machine, early; no punctuation</source>
        <translation>适合配置较低的电脑识别中文，出字早；无标点</translation>
    </message>
    <message>
        <source>Zipformer 14M (Chinese)</source>
        <translation>Zipformer 14M（中文）</translation>
    </message>
    <message>
        <source>Chinese on the smallest machine; many errors, no punctuation</source>
        <translation>适合配置最低的电脑识别中文；错误多，无标点</translation>
    </message>
    <message>
        <source>Zipformer (English)</source>
        <translation>Zipformer（英语）</translation>
    </message>
    <message>
        <source>English as early as can be, in lower case and without punctuation</source>
        <translation>英语，出字最早，全部小写且无标点</translation>
    </message>
    <message>
        <source>Zipformer 20M (English)</source>
        <translation>Zipformer 20M（英语）</translation>
    </message>
    <message>
        <source>English on the smallest machine, in lower case and without punctuation</source>
        <translation>适合配置最低的电脑识别英语，全部小写且无标点</translation>
    </message>
    <message>
        <source>Zipformer (Korean)</source>
        <translation>Zipformer（韩语）</translation>
    </message>
    <message>
        <source>Korean, early</source>
        <translation>韩语，出字早</translation>
    </message>
    <message>
        <source>Zipformer small (Russian)</source>
        <translation>Zipformer small（俄语）</translation>
    </message>
    <message>
        <source>Russian, early; no punctuation</source>
        <translation>俄语，出字早；无标点</translation>
    </message>
    <message>
        <source>Zipformer (Arabic, English, Indonesian, Japanese, Russian, Thai, Vietnamese, Chinese)</source>
        <translation>Zipformer（阿拉伯语、英语、印尼语、日语、俄语、泰语、越南语、中文）</translation>
    </message>
    <message>
        <source>Eight languages early, also mixed; no punctuation</source>
        <translation>八种语言，出字早，可混说；无标点</translation>
    </message>
    <message>
        <source>GigaAM v3 (Russian)</source>
        <translation>GigaAM v3（俄语）</translation>
    </message>
    <message>
        <source>Russian with few errors and with punctuation</source>
        <translation>俄语，错误少，带标点</translation>
    </message>
    <message>
        <source>Parakeet TDT 0.6B v3 (25 European languages)</source>
        <translation>Parakeet TDT 0.6B v3（25 种欧洲语言）</translation>
    </message>
    <message>
        <source>European languages with few errors and with punctuation, on a fast processor</source>
        <translation>欧洲语言，错误少，带标点，需要较快的处理器</translation>
    </message>
    <message>
        <source>Parakeet TDT 0.6B v2 (English)</source>
        <translation>Parakeet TDT 0.6B v2（英语）</translation>
    </message>
    <message>
        <source>English with very few errors and with punctuation, on a fast processor</source>
        <translation>英语，错误极少，带标点，需要较快的处理器</translation>
    </message>
    <message>
        <source>Canary 180M flash (English, German, French, Spanish)</source>
        <translation>Canary 180M flash（英语、德语、法语、西班牙语）</translation>
    </message>
    <message>
        <source>Four languages with few errors and with punctuation; the language is chosen</source>
        <translation>四种语言，错误少，带标点；需事先选定语言</translation>
    </message>
    <message>
        <source>Whisper base (English)</source>
        <translation>Whisper base（英语）</translation>
    </message>
    <message>
        <source>English with punctuation, on a machine of some years</source>
        <translation>英语，带标点，适合几年前的电脑</translation>
    </message>
    <message>
        <source>Whisper small (English)</source>
        <translation>Whisper small（英语）</translation>
    </message>
    <message>
        <source>Whisper medium (English)</source>
        <translation>Whisper medium（英语）</translation>
    </message>
    <message>
        <source>English with few errors, with a GPU</source>
        <translation>英语，错误少，需要 GPU</translation>
    </message>
    <message>
        <source>Distil-Whisper large v3 (English)</source>
        <translation>Distil-Whisper large v3（英语）</translation>
    </message>
    <message>
        <source>English nearly as good as the large model at half its size, with a GPU</source>
        <translation>英语，效果接近大模型，体积只有一半，需要 GPU</translation>
    </message>
    <message>
        <source>Whisper tiny (many languages)</source>
        <translation>Whisper tiny（多语言）</translation>
    </message>
    <message>
        <source>Any of 99 languages on a small machine; many errors</source>
        <translation>支持 99 种语言，适合配置较低的电脑；错误多</translation>
    </message>
    <message>
        <source>Whisper small (many languages)</source>
        <translation>Whisper small（多语言）</translation>
    </message>
    <message>
        <source>Any of 99 languages with fewer errors, on a fast processor</source>
        <translation>支持 99 种语言，错误较少，需要较快的处理器</translation>
    </message>
    <message>
        <source>Whisper medium (many languages)</source>
        <translation>Whisper medium（多语言）</translation>
    </message>
    <message>
        <source>Any of 99 languages with few errors, with a GPU</source>
        <translation>支持 99 种语言，错误少，需要 GPU</translation>
    </message>
    <message>
        <source>Whisper large v3 turbo (many languages)</source>
        <translation>Whisper large v3 turbo（多语言）</translation>
    </message>
    <message>
        <source>Any of 100 languages with few errors and fast, with a GPU</source>
        <translation>支持 100 种语言，错误少且速度快，需要 GPU</translation>
    </message>
    <message>
        <source>Whisper large v3 (many languages)</source>
        <translation>Whisper large v3（多语言）</translation>
    </message>
    <message>
        <source>Any of 100 languages with the fewest errors, with a large GPU</source>
        <translation>支持 100 种语言，错误最少，需要大显存 GPU</translation>
    </message>
    <message>
        <source>Silero voice activity detection</source>
        <translation>Silero 语音活动检测</translation>
    </message>
    <message>
        <source>Tells speech from everything else</source>
        <translation>区分说话声与其他声音</translation>
    </message>
    <message>
        <source>CT-Transformer (full stops and commas, Chinese and English)</source>
        <translation>CT-Transformer（为中文和英语加标点）</translation>
    </message>
    <message>
        <source>full stops and commas for models that give none</source>
        <translation>为不输出标点的模型补上句号和逗号</translation>
    </message>
    <message>
        <source>RNNoise (light noise suppression)</source>
        <translation>RNNoise（轻度降噪）</translation>
    </message>
    <message>
        <source>DeepFilterNet 3 (strong noise suppression)</source>
        <translation>DeepFilterNet 3（强力降噪）</translation>
    </message>
</context>
<context>
    <name>ColourEditor</name>
    <message>
        <source>Pick: {name}</source>
        <translation>选取：{name}</translation>
    </message>
    <message>
        <source>Pick a colour</source>
        <translation>选取颜色</translation>
    </message>
    <message>
        <source>The theme&apos;s own</source>
        <translation>主题默认颜色</translation>
    </message>
</context>
<context>
    <name>Diagnostics</name>
    <message>
        <source>Diagnostics – Captionglass</source>
        <translation>诊断 – Captionglass</translation>
    </message>
    <message>
        <source>Copy report</source>
        <translation>复制报告</translation>
    </message>
    <message>
        <source>A text for a bug report: nothing that was said, no names, no folders</source>
        <translation>用于报告问题的文本：不含说话内容、姓名和文件夹</translation>
    </message>
    <message>
        <source>Copied</source>
        <translation>已复制</translation>
    </message>
    <message>
        <source>The last five minutes</source>
        <translation>最近五分钟</translation>
    </message>
    <message>
        <source>Since {0}</source>
        <translation>自 {0} 起</translation>
    </message>
    <message>
        <source>Engine</source>
        <translation>引擎</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>本机</translation>
    </message>
    <message>
        <source>{0} ms</source>
        <translation>{0} 毫秒</translation>
    </message>
    <message>
        <source>{0} s</source>
        <translation>{0} 秒</translation>
    </message>
    <message>
        <source>{0} dBFS</source>
        <translation>{0} dBFS</translation>
    </message>
    <message>
        <source>{0} cores</source>
        <translation>{0} 核</translation>
    </message>
    <message>
        <source>{0} MiB</source>
        <translation>{0} MiB</translation>
    </message>
    <message>
        <source>{0} GiB</source>
        <translation>{0} GiB</translation>
    </message>
    <message>
        <source>{0} %</source>
        <translation>{0}%</translation>
    </message>
    <message>
        <source>Microphone</source>
        <translation>麦克风</translation>
    </message>
    <message>
        <source>Computer</source>
        <translation>电脑声音</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>as published</source>
        <translation>与发布时相同</translation>
    </message>
    <message>
        <source>How exact the model&apos;s numbers are kept.</source>
        <translation>模型数值的保存精度。</translation>
    </message>
    <message>
        <source>Going over to</source>
        <translation>即将切换到</translation>
    </message>
    <message>
        <source>It is loading, and takes over at a pause between words.</source>
        <translation>正在加载，将在两个词之间的停顿处接替。</translation>
    </message>
    <message>
        <source>Real-time factor</source>
        <translation>实时率</translation>
    </message>
    <message>
        <source>Computing time for each second of sound, over the last ten seconds. Below 1 it keeps up.</source>
        <translation>最近十秒内，处理每秒声音所需的计算时间。小于 1 才跟得上。</translation>
    </message>
    <message>
        <source>Behind</source>
        <translation>积压</translation>
    </message>
    <message>
        <source>Sound that was captured and not yet looked at.</source>
        <translation>已采集但尚未处理的声音。</translation>
    </message>
    <message>
        <source>starting</source>
        <translation>正在启动</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>Runs on</source>
        <translation>运行于</translation>
    </message>
    <message>
        <source>Asked for</source>
        <translation>指定使用</translation>
    </message>
    <message>
        <source>Where the model really runs, as the runtime reports it.</source>
        <translation>模型实际运行的位置，由推理运行库报告。</translation>
    </message>
    <message>
        <source>A second of silence took {0} when it was loaded.</source>
        <translation>加载时处理一秒静音用了 {0}。</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>First shown</source>
        <translation>首次显示</translation>
    </message>
    <message>
        <source>From the end of a word to its first showing; half of the words, and 95 % of them.</source>
        <translation>从一个词说完到首次显示的时间；分别为一半和 95% 的词。</translation>
    </message>
    <message>
        <source>Stable</source>
        <translation>稳定</translation>
    </message>
    <message>
        <source>From the end of a word until it will not change any more.</source>
        <translation>从一个词说完到不再改动的时间。</translation>
    </message>
    <message>
        <source>Erasure</source>
        <translation>回改率</translation>
    </message>
    <message>
        <source>Characters taken back for each one finally shown. This is what flickers.</source>
        <translation>每显示一个最终字符所收回的字符数，也就是看到的闪动。</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>词数</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>行数</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>音量</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>有</translation>
    </message>
    <message>
        <source>no</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Speech now</source>
        <translation>当前说话声</translation>
    </message>
    <message>
        <source>Heard so far</source>
        <translation>已收听时长</translation>
    </message>
    <message>
        <source>Recogniser rested</source>
        <translation>识别空闲</translation>
    </message>
    <message>
        <source>While nobody speaks only the speech detector works.</source>
        <translation>无人说话时，只有语音检测在工作。</translation>
    </message>
    <message>
        <source>Noise suppression</source>
        <translation>降噪</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Lost samples</source>
        <translation>丢失的采样</translation>
    </message>
    <message>
        <source>Sound that never reached the recogniser.</source>
        <translation>未能送达识别模型的声音。</translation>
    </message>
    <message>
        <source>silent</source>
        <translation>无声</translation>
    </message>
    <message>
        <source>peak {0}</source>
        <translation>峰值 {0}</translation>
    </message>
    <message>
        <source>made {0} dB louder</source>
        <translation>已放大 {0} dB</translation>
    </message>
    <message>
        <source>too loud: cut off</source>
        <translation>过响，已削波</translation>
    </message>
    <message>
        <source>very quiet</source>
        <translation>音量很小</translation>
    </message>
    <message>
        <source>Level, {0}</source>
        <translation>音量，{0}</translation>
    </message>
    <message>
        <source>Loudness of the last tenth of a second and its highest sample; 0 is as loud as can be.</source>
        <translation>最近十分之一秒的响度及其最高采样；0 为可能的最大值。</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>no NVIDIA GPU</source>
        <translation>没有 NVIDIA GPU</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>{0} / {1}</translation>
    </message>
    <message>
        <source>Of all programs together.</source>
        <translation>所有程序合计。</translation>
    </message>
    <message>
        <source>GPU load</source>
        <translation>GPU 占用</translation>
    </message>
    <message>
        <source>{0}, 95 % {1}</source>
        <translation>{0}，95% 的词 {1}</translation>
    </message>
</context>
<context>
    <name>Families</name>
    <message>
        <source>{font} (comes with Captionglass)</source>
        <translation>{font}（Captionglass 自带）</translation>
    </message>
</context>
<context>
    <name>FirstRun</name>
    <message>
        <source>Welcome to Captionglass</source>
        <translation>欢迎使用 Captionglass</translation>
    </message>
    <message>
        <source>Step {n} of {count}</source>
        <translation>第 {n} 步，共 {count} 步</translation>
    </message>
    <message>
        <source>Done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>Continue</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Skip</source>
        <translation>跳过</translation>
    </message>
    <message>
        <source>Begin with what is set now</source>
        <translation>按当前设置开始</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
</context>
<context>
    <name>FontList</name>
    <message>
        <source>Search fonts</source>
        <translation>搜索字体</translation>
    </message>
    <message>
        <source>Fonts</source>
        <translation>字体</translation>
    </message>
</context>
<context>
    <name>Formats</name>
    <message>
        <source>SubRip subtitles</source>
        <translation>SubRip 字幕</translation>
    </message>
    <message>
        <source>WebVTT subtitles</source>
        <translation>WebVTT 字幕</translation>
    </message>
    <message>
        <source>Plain text</source>
        <translation>纯文本</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>JSON</source>
        <translation>JSON</translation>
    </message>
    <message>
        <source>Advanced SubStation Alpha</source>
        <translation>Advanced SubStation Alpha</translation>
    </message>
    <message>
        <source>SubStation Alpha</source>
        <translation>SubStation Alpha</translation>
    </message>
    <message>
        <source>Timed Text (TTML)</source>
        <translation>Timed Text (TTML)</translation>
    </message>
</context>
<context>
    <name>HotkeyButton</name>
    <message>
        <source>Press the keys…</source>
        <translation>请按下按键…</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Press it together with Ctrl, Alt or Meta: a key alone is for typing.</source>
        <translation>请与 Ctrl、Alt 或 Meta 一起按：单独的键要留给打字。</translation>
    </message>
</context>
<context>
    <name>Hotkeys</name>
    <message>
        <source>Show or hide captions</source>
        <translation>显示或隐藏字幕</translation>
    </message>
    <message>
        <source>Pause or go on</source>
        <translation>暂停或继续</translation>
    </message>
    <message>
        <source>Lock or unlock the panel</source>
        <translation>锁定或解锁面板</translation>
    </message>
    <message>
        <source>Bigger text</source>
        <translation>放大文字</translation>
    </message>
    <message>
        <source>Smaller text</source>
        <translation>缩小文字</translation>
    </message>
    <message>
        <source>Fewer errors</source>
        <translation>错误更少</translation>
    </message>
    <message>
        <source>Words earlier</source>
        <translation>出字更早</translation>
    </message>
    <message>
        <source>Next preset</source>
        <translation>下一个预设</translation>
    </message>
    <message>
        <source>Next model</source>
        <translation>下一个模型</translation>
    </message>
</context>
<context>
    <name>HotkeysEditor</name>
    <message>
        <source>Back to {keys}</source>
        <translation>恢复为 {keys}</translation>
    </message>
    <message>
        <source>Another program has {keys}; choose others.</source>
        <translation>{keys} 已被其他程序占用，请另选。</translation>
    </message>
    <message>
        <source>{keys} are no keys for this.</source>
        <translation>{keys} 不能用作快捷键。</translation>
    </message>
    <message>
        <source>{keys} already do this: {action}</source>
        <translation>{keys} 已用于：{action}</translation>
    </message>
</context>
<context>
    <name>HoverBar</name>
    <message>
        <source>Show transcript</source>
        <translation>显示文字记录</translation>
    </message>
    <message>
        <source>Show models</source>
        <translation>显示模型</translation>
    </message>
    <message>
        <source>Show diagnostics</source>
        <translation>显示诊断</translation>
    </message>
    <message>
        <source>Show settings</source>
        <translation>显示设置</translation>
    </message>
    <message>
        <source>Close Captionglass</source>
        <translation>关闭 Captionglass</translation>
    </message>
    <message>
        <source>Resume captions</source>
        <translation>继续字幕</translation>
    </message>
    <message>
        <source>Pause captions</source>
        <translation>暂停字幕</translation>
    </message>
    <message>
        <source>Measuring this computer: {0}</source>
        <translation>正在测量这台电脑：{0}</translation>
    </message>
    <message>
        <source>Now: {0}</source>
        <translation>当前：{0}</translation>
    </message>
    <message>
        <source>Measured: {0}</source>
        <translation>实测：{0}</translation>
    </message>
    <message>
        <source>{0}. {1}</source>
        <translation>{0}。{1}</translation>
    </message>
</context>
<context>
    <name>Keeping</name>
    <message>
        <source>Started again at {0}</source>
        <translation>{0} 重新开始</translation>
    </message>
</context>
<context>
    <name>Lanes</name>
    <message>
        <source>You</source>
        <translation>我</translation>
    </message>
    <message>
        <source>Others</source>
        <translation>对方</translation>
    </message>
</context>
<context>
    <name>LanguageEditor</name>
    <message>
        <source>As the model does</source>
        <translation>由模型决定</translation>
    </message>
</context>
<context>
    <name>Languages</name>
    <message>
        <source>Afrikaans</source>
        <translation>南非荷兰语</translation>
    </message>
    <message>
        <source>Albanian</source>
        <translation>阿尔巴尼亚语</translation>
    </message>
    <message>
        <source>Amharic</source>
        <translation>阿姆哈拉语</translation>
    </message>
    <message>
        <source>Arabic</source>
        <translation>阿拉伯语</translation>
    </message>
    <message>
        <source>Armenian</source>
        <translation>亚美尼亚语</translation>
    </message>
    <message>
        <source>Assamese</source>
        <translation>阿萨姆语</translation>
    </message>
    <message>
        <source>Azerbaijani</source>
        <translation>阿塞拜疆语</translation>
    </message>
    <message>
        <source>Bangla</source>
        <translation>孟加拉语</translation>
    </message>
    <message>
        <source>Bashkir</source>
        <translation>巴什基尔语</translation>
    </message>
    <message>
        <source>Basque</source>
        <translation>巴斯克语</translation>
    </message>
    <message>
        <source>Belarusian</source>
        <translation>白俄罗斯语</translation>
    </message>
    <message>
        <source>Bosnian</source>
        <translation>波斯尼亚语</translation>
    </message>
    <message>
        <source>Breton</source>
        <translation>布列塔尼语</translation>
    </message>
    <message>
        <source>Bulgarian</source>
        <translation>保加利亚语</translation>
    </message>
    <message>
        <source>Burmese</source>
        <translation>缅甸语</translation>
    </message>
    <message>
        <source>Cantonese</source>
        <translation>粤语</translation>
    </message>
    <message>
        <source>Catalan</source>
        <translation>加泰罗尼亚语</translation>
    </message>
    <message>
        <source>Chinese</source>
        <translation>中文</translation>
    </message>
    <message>
        <source>Croatian</source>
        <translation>克罗地亚语</translation>
    </message>
    <message>
        <source>Czech</source>
        <translation>捷克语</translation>
    </message>
    <message>
        <source>Danish</source>
        <translation>丹麦语</translation>
    </message>
    <message>
        <source>Dutch</source>
        <translation>荷兰语</translation>
    </message>
    <message>
        <source>English</source>
        <translation>英语</translation>
    </message>
    <message>
        <source>Estonian</source>
        <translation>爱沙尼亚语</translation>
    </message>
    <message>
        <source>Faroese</source>
        <translation>法罗语</translation>
    </message>
    <message>
        <source>Finnish</source>
        <translation>芬兰语</translation>
    </message>
    <message>
        <source>French</source>
        <translation>法语</translation>
    </message>
    <message>
        <source>Galician</source>
        <translation>加利西亚语</translation>
    </message>
    <message>
        <source>Georgian</source>
        <translation>格鲁吉亚语</translation>
    </message>
    <message>
        <source>German</source>
        <translation>德语</translation>
    </message>
    <message>
        <source>Greek</source>
        <translation>希腊语</translation>
    </message>
    <message>
        <source>Gujarati</source>
        <translation>古吉拉特语</translation>
    </message>
    <message>
        <source>Haitian Creole</source>
        <translation>海地克里奥尔语</translation>
    </message>
    <message>
        <source>Hausa</source>
        <translation>豪萨语</translation>
    </message>
    <message>
        <source>Hawaiian</source>
        <translation>夏威夷语</translation>
    </message>
    <message>
        <source>Hebrew</source>
        <translation>希伯来语</translation>
    </message>
    <message>
        <source>Hindi</source>
        <translation>印地语</translation>
    </message>
    <message>
        <source>Hungarian</source>
        <translation>匈牙利语</translation>
    </message>
    <message>
        <source>Icelandic</source>
        <translation>冰岛语</translation>
    </message>
    <message>
        <source>Indonesian</source>
        <translation>印尼语</translation>
    </message>
    <message>
        <source>Italian</source>
        <translation>意大利语</translation>
    </message>
    <message>
        <source>Japanese</source>
        <translation>日语</translation>
    </message>
    <message>
        <source>Javanese</source>
        <translation>爪哇语</translation>
    </message>
    <message>
        <source>Kannada</source>
        <translation>卡纳达语</translation>
    </message>
    <message>
        <source>Kazakh</source>
        <translation>哈萨克语</translation>
    </message>
    <message>
        <source>Khmer</source>
        <translation>高棉语</translation>
    </message>
    <message>
        <source>Korean</source>
        <translation>韩语</translation>
    </message>
    <message>
        <source>Lao</source>
        <translation>老挝语</translation>
    </message>
    <message>
        <source>Latin</source>
        <translation>拉丁语</translation>
    </message>
    <message>
        <source>Latvian</source>
        <translation>拉脱维亚语</translation>
    </message>
    <message>
        <source>Lingala</source>
        <translation>林加拉语</translation>
    </message>
    <message>
        <source>Lithuanian</source>
        <translation>立陶宛语</translation>
    </message>
    <message>
        <source>Luxembourgish</source>
        <translation>卢森堡语</translation>
    </message>
    <message>
        <source>Macedonian</source>
        <translation>马其顿语</translation>
    </message>
    <message>
        <source>Malagasy</source>
        <translation>马达加斯加语</translation>
    </message>
    <message>
        <source>Malay</source>
        <translation>马来语</translation>
    </message>
    <message>
        <source>Malayalam</source>
        <translation>马拉雅拉姆语</translation>
    </message>
    <message>
        <source>Maltese</source>
        <translation>马耳他语</translation>
    </message>
    <message>
        <source>Marathi</source>
        <translation>马拉地语</translation>
    </message>
    <message>
        <source>Mongolian</source>
        <translation>蒙古语</translation>
    </message>
    <message>
        <source>Māori</source>
        <translation>毛利语</translation>
    </message>
    <message>
        <source>Nepali</source>
        <translation>尼泊尔语</translation>
    </message>
    <message>
        <source>Norwegian Bokmål</source>
        <translation>挪威语</translation>
    </message>
    <message>
        <source>Norwegian Nynorsk</source>
        <translation>新挪威语</translation>
    </message>
    <message>
        <source>Occitan</source>
        <translation>奥克语</translation>
    </message>
    <message>
        <source>Pashto</source>
        <translation>普什图语</translation>
    </message>
    <message>
        <source>Persian</source>
        <translation>波斯语</translation>
    </message>
    <message>
        <source>Polish</source>
        <translation>波兰语</translation>
    </message>
    <message>
        <source>Portuguese</source>
        <translation>葡萄牙语</translation>
    </message>
    <message>
        <source>Punjabi</source>
        <translation>旁遮普语</translation>
    </message>
    <message>
        <source>Romanian</source>
        <translation>罗马尼亚语</translation>
    </message>
    <message>
        <source>Russian</source>
        <translation>俄语</translation>
    </message>
    <message>
        <source>Sanskrit</source>
        <translation>梵语</translation>
    </message>
    <message>
        <source>Serbian</source>
        <translation>塞尔维亚语</translation>
    </message>
    <message>
        <source>Shona</source>
        <translation>绍纳语</translation>
    </message>
    <message>
        <source>Sindhi</source>
        <translation>信德语</translation>
    </message>
    <message>
        <source>Sinhala</source>
        <translation>僧伽罗语</translation>
    </message>
    <message>
        <source>Slovak</source>
        <translation>斯洛伐克语</translation>
    </message>
    <message>
        <source>Slovenian</source>
        <translation>斯洛文尼亚语</translation>
    </message>
    <message>
        <source>Somali</source>
        <translation>索马里语</translation>
    </message>
    <message>
        <source>Spanish</source>
        <translation>西班牙语</translation>
    </message>
    <message>
        <source>Sundanese</source>
        <translation>巽他语</translation>
    </message>
    <message>
        <source>Swahili</source>
        <translation>斯瓦希里语</translation>
    </message>
    <message>
        <source>Swedish</source>
        <translation>瑞典语</translation>
    </message>
    <message>
        <source>Tagalog</source>
        <translation>他加禄语</translation>
    </message>
    <message>
        <source>Tajik</source>
        <translation>塔吉克语</translation>
    </message>
    <message>
        <source>Tamil</source>
        <translation>泰米尔语</translation>
    </message>
    <message>
        <source>Tatar</source>
        <translation>鞑靼语</translation>
    </message>
    <message>
        <source>Telugu</source>
        <translation>泰卢固语</translation>
    </message>
    <message>
        <source>Thai</source>
        <translation>泰语</translation>
    </message>
    <message>
        <source>Tibetan</source>
        <translation>藏语</translation>
    </message>
    <message>
        <source>Turkish</source>
        <translation>土耳其语</translation>
    </message>
    <message>
        <source>Turkmen</source>
        <translation>土库曼语</translation>
    </message>
    <message>
        <source>Ukrainian</source>
        <translation>乌克兰语</translation>
    </message>
    <message>
        <source>Urdu</source>
        <translation>乌尔都语</translation>
    </message>
    <message>
        <source>Uzbek</source>
        <translation>乌兹别克语</translation>
    </message>
    <message>
        <source>Vietnamese</source>
        <translation>越南语</translation>
    </message>
    <message>
        <source>Welsh</source>
        <translation>威尔士语</translation>
    </message>
    <message>
        <source>Yiddish</source>
        <translation>意第绪语</translation>
    </message>
    <message>
        <source>Yoruba</source>
        <translation>约鲁巴语</translation>
    </message>
</context>
<context>
    <name>LevelBar</name>
    <message>
        <source>Level of the sound</source>
        <translation>音量</translation>
    </message>
    <message>
        <source>Level of the sound: {level} dB</source>
        <translation>音量：{level} dB</translation>
    </message>
</context>
<context>
    <name>Measuring</name>
    <message>
        <source>getting ready</source>
        <translation>正在准备</translation>
    </message>
    <message>
        <source>{0}, {1} of {2}</source>
        <translation>{0}，第 {1} 个，共 {2} 个</translation>
    </message>
</context>
<context>
    <name>ModelEditor</name>
    <message>
        <source>More models…</source>
        <translation>更多模型…</translation>
    </message>
    <message>
        <source>{model} (not installed)</source>
        <translation>{model}（未安装）</translation>
    </message>
    <message>
        <source>{model} (unknown)</source>
        <translation>{model}（未知）</translation>
    </message>
</context>
<context>
    <name>ModelPage</name>
    <message>
        <source>Which language is spoken?</source>
        <translation>说的是哪种语言？</translation>
    </message>
    <message>
        <source>A model for it recognises the words, on this computer.</source>
        <translation>由对应的模型在这台电脑上识别。</translation>
    </message>
    <message>
        <source>Language that is spoken</source>
        <translation>所说的语言</translation>
    </message>
    <message>
        <source>All models…</source>
        <translation>所有模型…</translation>
    </message>
    <message>
        <source>Several, or I do not know</source>
        <translation>多种，或不确定</translation>
    </message>
    <message>
        <source>on this computer already</source>
        <translation>已在这台电脑上</translation>
    </message>
    <message>
        <source>{size} to fetch</source>
        <translation>需下载 {size}</translation>
    </message>
</context>
<context>
    <name>ModelRow</name>
    <message>
        <source>Suggested</source>
        <translation>推荐</translation>
    </message>
    <message>
        <source>Removed from this computer</source>
        <translation>已从这台电脑删除</translation>
    </message>
    <message>
        <source>Not yet tried with its real weights</source>
        <translation>尚未用真实权重试用过</translation>
    </message>
    <message>
        <source>Loading…</source>
        <translation>正在加载…</translation>
    </message>
    <message>
        <source>In use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>{amount} of it is here already</source>
        <translation>已下载 {amount}</translation>
    </message>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Resume</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Discard</source>
        <translation>丢弃</translation>
    </message>
    <message>
        <source>Get</source>
        <translation>下载</translation>
    </message>
    <message>
        <source>Remove</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Repair</source>
        <translation>修复</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
</context>
<context>
    <name>ModelWindow</name>
    <message>
        <source>Models – Captionglass</source>
        <translation>模型 – Captionglass</translation>
    </message>
    <message>
        <source>Looking for models…</source>
        <translation>正在查找模型…</translation>
    </message>
    <message>
        <source>No model is like that. Look for less, or any language.</source>
        <translation>没有符合条件的模型。请减少搜索词，或选择任意语言。</translation>
    </message>
    <message>
        <source>The folder of a model</source>
        <translation>模型所在的文件夹</translation>
    </message>
    <message numerus="yes">
        <source>%n model(s) here, {size}</source>
        <translation>
            <numerusform>已安装 %n 个模型，共 {size}</numerusform>
        </translation>
    </message>
    <message>
        <source>Any language</source>
        <translation>任意语言</translation>
    </message>
    <message>
        <source>{name} is here now</source>
        <translation>{name} 已就绪</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search the models</source>
        <translation>搜索模型</translation>
    </message>
    <message>
        <source>Only models for this language</source>
        <translation>仅显示支持该语言的模型</translation>
    </message>
    <message>
        <source>Add from folder…</source>
        <translation>从文件夹添加…</translation>
    </message>
    <message>
        <source>Use a model of your own; a folder can also be dropped</source>
        <translation>使用自己的模型；也可以把文件夹拖到这里</translation>
    </message>
    <message>
        <source>On this computer</source>
        <translation>在这台电脑上</translation>
    </message>
    <message>
        <source>Can be had</source>
        <translation>可以下载</translation>
    </message>
    <message>
        <source>Beside recognition</source>
        <translation>辅助模型</translation>
    </message>
</context>
<context>
    <name>Models</name>
    <message>
        <source>Made on this computer from {model}, with weights of {bits} bits</source>
        <translation>在这台电脑上由 {model} 制作，权重为 {bits} 位</translation>
    </message>
    <message>
        <source>Your own, in {folder}</source>
        <translation>自己的模型，位于 {folder}</translation>
    </message>
    <message>
        <source>streaming</source>
        <translation>流式</translation>
    </message>
    <message>
        <source>not streaming</source>
        <translation>非流式</translation>
    </message>
    <message>
        <source>{cores} cores here</source>
        <translation>本机占用 {cores} 核</translation>
    </message>
    <message>
        <source>not measured here</source>
        <translation>本机未测量</translation>
    </message>
    <message>
        <source>about {size}</source>
        <translation>约 {size}</translation>
    </message>
    <message>
        <source>licence not known</source>
        <translation>许可证未知</translation>
    </message>
    <message>
        <source>many languages</source>
        <translation>多种语言</translation>
    </message>
    <message>
        <source>language not known</source>
        <translation>语言未知</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between languages</comment>
        <translation>、</translation>
    </message>
    <message>
        <source>Stopping…</source>
        <translation>正在停止…</translation>
    </message>
    <message>
        <source>Waiting for another program to install it</source>
        <translation>正在等待另一个程序安装完成</translation>
    </message>
    <message>
        <source>Getting ready…</source>
        <translation>正在准备…</translation>
    </message>
    <message>
        <source>{share} % of {size}</source>
        <translation>{size} 的 {share}%</translation>
    </message>
    <message>
        <source>Paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Pauses after this package</source>
        <translation>此软件包下载完后暂停</translation>
    </message>
    <message>
        <source>{amount}/s</source>
        <translation>{amount}/秒</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
</context>
<context>
    <name>NoticeLine</name>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Open the sound again</source>
        <translation>重新打开声音</translation>
    </message>
    <message>
        <source>Models</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Choose another model</source>
        <translation>选择其他模型</translation>
    </message>
    <message>
        <source>Dismiss this line</source>
        <translation>关闭这条消息</translation>
    </message>
</context>
<context>
    <name>Notices</name>
    <message>
        <source>%1: %2</source>
        <translation>%1。%2</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1和%2</translation>
    </message>
    <message>
        <source>%1 and %2 name the same file</source>
        <translation>%1 和 %2 指定了同一个文件</translation>
    </message>
    <message>
        <source>%1 answers %2 frames in the shape %3</source>
        <translation>%1 返回了 %2 帧，形状为 %3</translation>
    </message>
    <message>
        <source>%1 breaks off after %2 s (%3)</source>
        <translation>%1 在 %2 秒后中断（%3）</translation>
    </message>
    <message>
        <source>%1 breaks off after %2 s (the file has shrunk)</source>
        <translation>%1 在 %2 秒后中断（文件变短了）</translation>
    </message>
    <message>
        <source>%1 cannot be deleted (%2)</source>
        <translation>无法删除 %1（%2）</translation>
    </message>
    <message>
        <source>%1 cannot be opened (%2)</source>
        <translation>无法打开 %1（%2）</translation>
    </message>
    <message>
        <source>%1 cannot be opened (PortAudio does not reach the sound server)</source>
        <translation>无法打开 %1（PortAudio 连接不到声音服务器）</translation>
    </message>
    <message>
        <source>%1 cannot be opened: trying again</source>
        <translation>无法打开 %1，正在重试</translation>
    </message>
    <message>
        <source>%1 cannot be read</source>
        <translation>无法读取 %1</translation>
    </message>
    <message>
        <source>%1 cannot be read (%2)</source>
        <translation>无法读取 %1（%2）</translation>
    </message>
    <message>
        <source>%1 cannot be renamed (%2)</source>
        <translation>无法重命名 %1（%2）</translation>
    </message>
    <message>
        <source>%1 cannot be understood</source>
        <translation>无法理解 %1 的内容</translation>
    </message>
    <message>
        <source>%1 cannot be written (%2)</source>
        <translation>无法写入 %1（%2）</translation>
    </message>
    <message>
        <source>%1 cannot be written, %2 is no folder</source>
        <translation>无法写入 %1，%2 不是文件夹</translation>
    </message>
    <message>
        <source>%1 cannot be written, its folder does not exist</source>
        <translation>无法写入 %1，其所在文件夹不存在</translation>
    </message>
    <message>
        <source>%1 cannot be written, permission denied</source>
        <translation>无法写入 %1，没有权限</translation>
    </message>
    <message>
        <source>%1 cannot favour %2 of the %3 phrases asked for</source>
        <translation>%1 无法优先识别所要求的 %3 个短语中的 %2 个</translation>
    </message>
    <message>
        <source>%1 changed its sample rate: opening it again</source>
        <translation>%1 的采样率变了，正在重新打开</translation>
    </message>
    <message>
        <source>%1 claims %2 samples a second</source>
        <translation>%1 标称每秒 %2 个采样</translation>
    </message>
    <message>
        <source>%1 claims a chunk of %2 frames in a window of %3</source>
        <translation>%1 标称每块 %2 帧，窗口却是 %3 帧</translation>
    </message>
    <message>
        <source>%1 comes with the program</source>
        <translation>%1 是程序自带的</translation>
    </message>
    <message>
        <source>%1 crashed (%2)</source>
        <translation>%1 已崩溃（%2）</translation>
    </message>
    <message>
        <source>%1 crashed (code %2)</source>
        <translation>%1 已崩溃（代码 %2）</translation>
    </message>
    <message>
        <source>%1 crashed (signal %2)</source>
        <translation>%1 已崩溃（信号 %2）</translation>
    </message>
    <message>
        <source>%1 delivers no sound any more: opening it again</source>
        <translation>%1 不再传来声音，正在重新打开</translation>
    </message>
    <message>
        <source>%1 delivers nothing but digital silence</source>
        <translation>%1 传来的全是数字静音</translation>
    </message>
    <message>
        <source>%1 did not finish in %2 s, %3 updates were lost</source>
        <translation>%1 未能在 %2 秒内完成，丢失了 %3 次更新</translation>
    </message>
    <message>
        <source>%1 did not open in %2 s</source>
        <translation>%1 未能在 %2 秒内打开</translation>
    </message>
    <message>
        <source>%1 did not take over, %2 goes on: %3</source>
        <translation>%1 未能接替，%2 继续工作：%3</translation>
    </message>
    <message>
        <source>%1 does not keep up, %2 updates were lost</source>
        <translation>%1 跟不上，丢失了 %2 次更新</translation>
    </message>
    <message>
        <source>%1 does not know English, which the recording is in</source>
        <translation>%1 不支持录音所用的英语</translation>
    </message>
    <message>
        <source>%1 does not know the language %2</source>
        <translation>%1 不支持语言 %2</translation>
    </message>
    <message>
        <source>%1 does not number its tokens from 0 on</source>
        <translation>%1 的词元编号不是从 0 开始</translation>
    </message>
    <message>
        <source>%1 does not say how many features</source>
        <translation>%1 没有说明特征的数量</translation>
    </message>
    <message>
        <source>%1 does not say which marks it knows</source>
        <translation>%1 没有说明支持哪些标点</translation>
    </message>
    <message>
        <source>%1 failed on %2 (%3): it goes on on the processor</source>
        <translation>%1 在 %2 上失败（%3），改用处理器继续</translation>
    </message>
    <message>
        <source>%1 failed on %2 (%3): it was started again</source>
        <translation>%1 在 %2 上失败（%3），已重新启动</translation>
    </message>
    <message>
        <source>%1 failed while it ran on %2 (%3)</source>
        <translation>%1 在 %2 上运行时失败（%3）</translation>
    </message>
    <message>
        <source>%1 has %2 states, its metadata wants %3</source>
        <translation>%1 有 %2 个状态，元数据却要求 %3 个</translation>
    </message>
    <message>
        <source>%1 has a sound track that cannot be decoded</source>
        <translation>%1 的音轨无法解码</translation>
    </message>
    <message>
        <source>%1 has ended</source>
        <translation>%1 已结束</translation>
    </message>
    <message>
        <source>%1 has no encoder and no CTC model</source>
        <translation>%1 既没有编码器也没有 CTC 模型</translation>
    </message>
    <message>
        <source>%1 has no joiner*.onnx</source>
        <translation>%1 缺少 joiner*.onnx</translation>
    </message>
    <message>
        <source>%1 has no sound track</source>
        <translation>%1 没有音轨</translation>
    </message>
    <message>
        <source>%1 has no tokens.txt</source>
        <translation>%1 缺少 tokens.txt</translation>
    </message>
    <message>
        <source>%1 has not answered for %2 s</source>
        <translation>%1 已 %2 秒没有响应</translation>
    </message>
    <message>
        <source>%1 holds %2 files</source>
        <translation>%1 中有 %2 个文件</translation>
    </message>
    <message>
        <source>%1 holds a model that does not hear sound piece by piece</source>
        <translation>%1 中的模型不能逐段听取声音</translation>
    </message>
    <message>
        <source>%1 holds a value that is not allowed (%2)</source>
        <translation>%1 含有不允许的值（%2）</translation>
    </message>
    <message>
        <source>%1 holds no model of a kind known here</source>
        <translation>%1 中没有已知类型的模型</translation>
    </message>
    <message>
        <source>%1 holds no secrets</source>
        <translation>%1 中没有密码</translation>
    </message>
    <message>
        <source>%1 holds no settings</source>
        <translation>%1 中没有设置</translation>
    </message>
    <message>
        <source>%1 holds no settings that can be understood</source>
        <translation>%1 中没有能理解的设置</translation>
    </message>
    <message>
        <source>%1 holds no sound (0 samples)</source>
        <translation>%1 不含声音（0 个采样）</translation>
    </message>
    <message>
        <source>%1 holds no sound in a format that can be read here</source>
        <translation>%1 中的声音格式无法在此读取</translation>
    </message>
    <message>
        <source>%1 in %2 cannot be read (%3)</source>
        <translation>无法读取 %2 中的 %1（%3）</translation>
    </message>
    <message>
        <source>%1 in %2 is empty</source>
        <translation>%2 中的 %1 是空文件</translation>
    </message>
    <message>
        <source>%1 in %2 is no %3 file</source>
        <translation>%2 中的 %1 不是 %3 文件</translation>
    </message>
    <message>
        <source>%1 in %2 only points to the real file</source>
        <translation>%2 中的 %1 只是指向真实文件的指针</translation>
    </message>
    <message>
        <source>%1 is a folder</source>
        <translation>%1 是文件夹</translation>
    </message>
    <message>
        <source>%1 is back and listened to again</source>
        <translation>%1 已恢复，重新开始收听</translation>
    </message>
    <message>
        <source>%1 is broken, %2</source>
        <translation>%1 已损坏：%2</translation>
    </message>
    <message>
        <source>%1 is captioned, not %2: opening the microphone of a Bluetooth headset makes all it plays sound like a telephone</source>
        <translation>正在为 %1 生成字幕，而不是 %2：打开蓝牙耳机的麦克风，会让它播放的声音都像打电话一样</translation>
    </message>
    <message>
        <source>%1 is closed</source>
        <translation>%1 已关闭</translation>
    </message>
    <message>
        <source>%1 is cut short, the disk is full</source>
        <translation>%1 不完整，磁盘已满</translation>
    </message>
    <message>
        <source>%1 is empty (0 bytes)</source>
        <translation>%1 是空文件（0 字节）</translation>
    </message>
    <message>
        <source>%1 is gone: listening to %2 until it is back</source>
        <translation>%1 已断开，暂时收听 %2</translation>
    </message>
    <message>
        <source>%1 is gone: waiting for it</source>
        <translation>%1 已断开，正在等待</translation>
    </message>
    <message>
        <source>%1 is heard; %2 h %3 min before that are missing</source>
        <translation>%1 已恢复，之前缺失 %2 小时 %3 分钟</translation>
    </message>
    <message>
        <source>%1 is heard; %2 h %3 min before that are silent</source>
        <translation>%1 已恢复，之前静音 %2 小时 %3 分钟</translation>
    </message>
    <message>
        <source>%1 is heard; %2 min %3 s before that are missing</source>
        <translation>%1 已恢复，之前缺失 %2 分 %3 秒</translation>
    </message>
    <message>
        <source>%1 is heard; %2 min %3 s before that are silent</source>
        <translation>%1 已恢复，之前静音 %2 分 %3 秒</translation>
    </message>
    <message>
        <source>%1 is heard; %2 s before that are missing</source>
        <translation>%1 已恢复，之前缺失 %2 秒</translation>
    </message>
    <message>
        <source>%1 is heard; %2 s before that are silent</source>
        <translation>%1 已恢复，之前静音 %2 秒</translation>
    </message>
    <message>
        <source>%1 is held by another program: trying again</source>
        <translation>%1 被其他程序占用，正在重试</translation>
    </message>
    <message>
        <source>%1 is missing beside the model</source>
        <translation>模型旁边缺少 %1</translation>
    </message>
    <message>
        <source>%1 is no longer too loud</source>
        <translation>%1 音量不再过大</translation>
    </message>
    <message>
        <source>%1 is no model that onnx-asr runs (by the names of its files)</source>
        <translation>从文件名看，%1 不是 onnx-asr 能运行的模型</translation>
    </message>
    <message>
        <source>%1 is no streaming model</source>
        <translation>%1 不是流式模型</translation>
    </message>
    <message>
        <source>%1 is not a Moonshine v1 model (it has no %2)</source>
        <translation>%1 不是 Moonshine v1 模型（缺少 %2）</translation>
    </message>
    <message>
        <source>%1 is not a regular file</source>
        <translation>%1 不是普通文件</translation>
    </message>
    <message>
        <source>%1 is not a sound or video file that can be read (%2)</source>
        <translation>%1 不是可读取的声音或视频文件（%2）</translation>
    </message>
    <message>
        <source>%1 is not there any more</source>
        <translation>%1 已不存在</translation>
    </message>
    <message>
        <source>%1 is of the kind %2, not one of %3</source>
        <translation>%1 的类型是 %2，不在 %3 之列</translation>
    </message>
    <message>
        <source>%1 is old but cannot be deleted</source>
        <translation>%1 已过期，但无法删除</translation>
    </message>
    <message>
        <source>%1 is raw sound, and does not say of which kind</source>
        <translation>%1 是原始声音，没有说明格式</translation>
    </message>
    <message>
        <source>%1 is too large for settings</source>
        <translation>%1 太大，不像是设置</translation>
    </message>
    <message>
        <source>%1 is too loud: its sound is cut off at the top</source>
        <translation>%1 音量过大，声音被削波</translation>
    </message>
    <message>
        <source>%1 lines did not reach Redis at %2</source>
        <translation>%1 行未能送达位于 %2 的 Redis</translation>
    </message>
    <message>
        <source>%1 lines did not reach Redis at this computer:%2</source>
        <translation>%1 行未能送达本机的 Redis：%2</translation>
    </message>
    <message>
        <source>%1 lines of %2 are damaged</source>
        <translation>%2 中有 %1 行已损坏</translation>
    </message>
    <message>
        <source>%1 looks like a model for %2, but has no %3</source>
        <translation>%1 看起来是 %2 模型，但缺少 %3</translation>
    </message>
    <message>
        <source>%1 may not be read by you</source>
        <translation>你没有读取 %1 的权限</translation>
    </message>
    <message>
        <source>%1 names no format</source>
        <translation>%1 没有指明格式</translation>
    </message>
    <message>
        <source>%1 needs the package onnx-asr</source>
        <translation>%1 需要 onnx-asr 软件包</translation>
    </message>
    <message>
        <source>%1 of %2 is missing</source>
        <translation>%2 缺少 %1</translation>
    </message>
    <message>
        <source>%1 or %2</source>
        <translation>%1或%2</translation>
    </message>
    <message>
        <source>%1 s of sound were skipped to catch up</source>
        <translation>为赶上进度，跳过了 %1 秒声音</translation>
    </message>
    <message>
        <source>%1 sessions begin with %2</source>
        <translation>以 %2 开头的记录有 %1 条</translation>
    </message>
    <message>
        <source>%1 stopped delivering sound</source>
        <translation>%1 不再传来声音</translation>
    </message>
    <message>
        <source>%1 stopped delivering sound (%2)</source>
        <translation>%1 不再传来声音（%2）</translation>
    </message>
    <message>
        <source>%1 stopped: %2</source>
        <translation>%1 已停止：%2</translation>
    </message>
    <message>
        <source>%1 takes %2 states and gives %3</source>
        <translation>%1 接收 %2 个状态，却返回 %3 个</translation>
    </message>
    <message>
        <source>%1 takes frames of shape %2, its metadata says %3 at a time</source>
        <translation>%1 接收形状为 %2 的帧，元数据却说每次 %3 帧</translation>
    </message>
    <message>
        <source>%1 wants features of the kind %2</source>
        <translation>%1 需要 %2 类型的特征</translation>
    </message>
    <message>
        <source>%1 was asked for, %2 is what runs</source>
        <translation>要求使用 %1，实际使用的是 %2</translation>
    </message>
    <message>
        <source>%1 was asked for, %2 is what runs (%3)</source>
        <translation>要求使用 %1，实际使用的是 %2（%3）</translation>
    </message>
    <message>
        <source>%1 was written by a newer Captionglass</source>
        <translation>%1 由更新版本的 Captionglass 写入</translation>
    </message>
    <message>
        <source>%1 would not load</source>
        <translation>%1 无法加载</translation>
    </message>
    <message>
        <source>%1 would not load (%2 cannot be read)</source>
        <translation>%1 无法加载（无法读取 %2）</translation>
    </message>
    <message>
        <source>%1 would not load (%2 has too few tokens)</source>
        <translation>%1 无法加载（%2 中的词元太少）</translation>
    </message>
    <message>
        <source>%1 would not load (%2 is missing)</source>
        <translation>%1 无法加载（缺少 %2）</translation>
    </message>
    <message>
        <source>%1 would not load (%2)</source>
        <translation>%1 无法加载（%2）</translation>
    </message>
    <message>
        <source>%1 would not load (%2: %3)</source>
        <translation>%1 无法加载（%2：%3）</translation>
    </message>
    <message>
        <source>%1 would not load (it has no %2.ort)</source>
        <translation>%1 无法加载（缺少 %2.ort）</translation>
    </message>
    <message>
        <source>%1 would not load (its files do not belong together)</source>
        <translation>%1 无法加载（文件不配套）</translation>
    </message>
    <message>
        <source>%1 would not load (streaming_config.json cannot be read)</source>
        <translation>%1 无法加载（无法读取 streaming_config.json）</translation>
    </message>
    <message>
        <source>%1 would not load from %2</source>
        <translation>无法从 %2 加载 %1</translation>
    </message>
    <message>
        <source>%1 would not load here (%2)</source>
        <translation>%1 在这里无法加载（%2）</translation>
    </message>
    <message>
        <source>%1 would not load: %2</source>
        <translation>%1 无法加载：%2</translation>
    </message>
    <message>
        <source>%1 would overwrite the recording %2</source>
        <translation>%1 会覆盖录音 %2</translation>
    </message>
    <message>
        <source>%1, start the sound server (PulseAudio or PipeWire), or caption a file: captionglass caption FILE</source>
        <translation>%1，请启动声音服务器（PulseAudio 或 PipeWire），或为文件生成字幕：captionglass caption FILE</translation>
    </message>
    <message>
        <source>%1: it goes on on the processor</source>
        <translation>%1，改用处理器继续</translation>
    </message>
    <message>
        <source>%1: it was started again</source>
        <translation>%1，已重新启动</translation>
    </message>
    <message>
        <source>%1: trying again</source>
        <translation>%1，正在重试</translation>
    </message>
    <message>
        <source>&apos;-&apos; reads raw sound from a pipe, and standard input is a terminal</source>
        <translation>“-”从管道读取原始声音，但标准输入是终端</translation>
    </message>
    <message>
        <source>&apos;app&apos; names no application</source>
        <translation>“app”后面没有应用程序名</translation>
    </message>
    <message>
        <source>Another program has %1</source>
        <translation>其他程序占用了 %1</translation>
    </message>
    <message>
        <source>CUDA %1 runtime not found (%2): pip install &apos;onnxruntime-gpu[cuda,cudnn]&apos;</source>
        <translation>未找到 CUDA %1 运行库（%2）：pip install &apos;onnxruntime-gpu[cuda,cudnn]&apos;</translation>
    </message>
    <message>
        <source>CUDA runtime not found (%1): pip install &apos;onnxruntime-gpu[cuda,cudnn]&apos;</source>
        <translation>未找到 CUDA 运行库（%1）：pip install &apos;onnxruntime-gpu[cuda,cudnn]&apos;</translation>
    </message>
    <message>
        <source>Captions are paused</source>
        <translation>字幕已暂停</translation>
    </message>
    <message>
        <source>Captions begin once you have chosen what to caption</source>
        <translation>选好声音来源后，字幕即开始</translation>
    </message>
    <message>
        <source>Captions reach OBS at %1</source>
        <translation>字幕已送达 OBS（%1）</translation>
    </message>
    <message>
        <source>Clicks go through</source>
        <translation>点击会穿透面板</translation>
    </message>
    <message>
        <source>Fetching %1</source>
        <translation>正在下载 %1</translation>
    </message>
    <message>
        <source>Fetching %1, %2 %</source>
        <translation>正在下载 %1，%2%</translation>
    </message>
    <message>
        <source>Listening to %1</source>
        <translation>正在收听 %1</translation>
    </message>
    <message>
        <source>Loading the model…</source>
        <translation>正在加载模型…</translation>
    </message>
    <message>
        <source>Measured: the slider says what each stop does here</source>
        <translation>测量完成，滑块会显示每一档在这台电脑上的效果</translation>
    </message>
    <message>
        <source>No caption files are written: %1 cannot be used (%2)</source>
        <translation>未写入字幕文件：无法使用 %1（%2）</translation>
    </message>
    <message>
        <source>No microphone was found, so this is a recording</source>
        <translation>没有找到麦克风，现在播放的是示例录音</translation>
    </message>
    <message>
        <source>Not listening</source>
        <translation>未在收听</translation>
    </message>
    <message>
        <source>Now listening to %1, which the system has made its default</source>
        <translation>改为收听系统设为默认的 %1</translation>
    </message>
    <message>
        <source>OBS at %1 does not answer</source>
        <translation>OBS（%1）没有响应</translation>
    </message>
    <message>
        <source>OBS at %1 refuses the password: trying again</source>
        <translation>OBS（%1）拒绝了密码，正在重试</translation>
    </message>
    <message>
        <source>OBS does not stream: captions wait for it</source>
        <translation>OBS 未在直播，字幕等待直播开始</translation>
    </message>
    <message>
        <source>OBS has no text source called %1</source>
        <translation>OBS 中没有名为 %1 的文本来源</translation>
    </message>
    <message>
        <source>OBS is not there (%1): trying again</source>
        <translation>OBS（%1）未运行，正在重试</translation>
    </message>
    <message>
        <source>OBS streams: captions run</source>
        <translation>OBS 正在直播，字幕已开始</translation>
    </message>
    <message>
        <source>Opening the sound…</source>
        <translation>正在打开声音…</translation>
    </message>
    <message>
        <source>PortAudio, which reaches the sound devices, is not installed</source>
        <translation>未安装用于访问声音设备的 PortAudio</translation>
    </message>
    <message>
        <source>Preset: %1</source>
        <translation>预设：%1</translation>
    </message>
    <message>
        <source>Settings cannot be saved in %1 (%2)</source>
        <translation>无法在 %1 中保存设置（%2）</translation>
    </message>
    <message>
        <source>TensorRT %1 not found (%2): pip install tensorrt</source>
        <translation>未找到 TensorRT %1（%2）：pip install tensorrt</translation>
    </message>
    <message>
        <source>TensorRT not found (%1): pip install tensorrt</source>
        <translation>未找到 TensorRT（%1）：pip install tensorrt</translation>
    </message>
    <message>
        <source>TensorRT not found: pip install tensorrt</source>
        <translation>未找到 TensorRT：pip install tensorrt</translation>
    </message>
    <message>
        <source>The computer slept: opening %1 again</source>
        <translation>电脑刚从睡眠中唤醒，正在重新打开 %1</translation>
    </message>
    <message>
        <source>The panel cannot be locked: there is neither tray nor hotkey to unlock it</source>
        <translation>无法锁定面板：既没有托盘也没有快捷键可以解锁</translation>
    </message>
    <message>
        <source>The sound has ended</source>
        <translation>声音已结束</translation>
    </message>
    <message>
        <source>The sound system records %1 instead of %2: opening it again</source>
        <translation>声音系统录制的是 %1 而不是 %2，正在重新打开</translation>
    </message>
    <message>
        <source>The sound system records something else instead of %1: opening it again</source>
        <translation>声音系统录制的不是 %1，正在重新打开</translation>
    </message>
    <message>
        <source>Use %1 or 0 to 100</source>
        <translation>请使用 %1，或 0 到 100</translation>
    </message>
    <message>
        <source>Wayland gives programs no global hotkeys</source>
        <translation>Wayland 不向程序提供全局快捷键</translation>
    </message>
    <message>
        <source>a model cannot be called %1</source>
        <translation>模型不能叫 %1</translation>
    </message>
    <message>
        <source>a preset cannot be called %1</source>
        <translation>预设不能叫 %1</translation>
    </message>
    <message>
        <source>a slider position of %1 does not exist</source>
        <translation>滑块没有 %1 这个位置</translation>
    </message>
    <message>
        <source>add a source Text (FreeType 2) or Text (GDI+) with that name</source>
        <translation>请在 OBS 中添加同名的“文本 (FreeType 2)”或“文本 (GDI+)”来源</translation>
    </message>
    <message>
        <source>add what is missing beside the rest</source>
        <translation>请把缺少的文件放到一起</translation>
    </message>
    <message>
        <source>adding %1 was stopped</source>
        <translation>添加 %1 已停止</translation>
    </message>
    <message>
        <source>allow it in System Settings &gt; Privacy &amp; Security &gt; Microphone, for this program or for the terminal it runs in, then start it again</source>
        <translation>请在“系统设置 &gt; 隐私与安全性 &gt; 麦克风”中允许本程序或运行它的终端，然后重新启动</translation>
    </message>
    <message>
        <source>another preset is called %1</source>
        <translation>已有另一个预设叫 %1</translation>
    </message>
    <message>
        <source>application %1 failed (%2: %3)</source>
        <translation>应用程序 %1 失败（%2：%3）</translation>
    </message>
    <message>
        <source>ask whoever manages it</source>
        <translation>请联系管理员</translation>
    </message>
    <message>
        <source>at %1 the model understood nothing of the recording</source>
        <translation>在“%1”档，模型没有听懂录音</translation>
    </message>
    <message>
        <source>bind captionglass --toggle, --pause or --show in the keyboard settings of the desktop</source>
        <translation>请在桌面的键盘设置中绑定 captionglass --toggle、--pause 或 --show</translation>
    </message>
    <message>
        <source>caption all that the computer plays: system</source>
        <translation>可为电脑播放的全部声音生成字幕：system</translation>
    </message>
    <message>
        <source>captionglass ctl start</source>
        <translation>captionglass ctl start</translation>
    </message>
    <message>
        <source>captionglass devices lists what there is</source>
        <translation>captionglass devices 会列出可用设备</translation>
    </message>
    <message>
        <source>Captionglass crashed last time</source>
        <translation>Captionglass 上次运行时崩溃了</translation>
    </message>
    <message>
        <source>%1 has no decoder*.onnx</source>
        <translation>%1 缺少 decoder*.onnx</translation>
    </message>
    <message>
        <source>%1 is written again</source>
        <translation>%1 已恢复写入</translation>
    </message>
    <message>
        <source>%1 waits, the disk is full</source>
        <translation>%1 正在等待，磁盘已满</translation>
    </message>
    <message>
        <source>%1 was lost, %2 goes on on the processor</source>
        <translation>%1 不可用了，%2 改在处理器上继续运行</translation>
    </message>
    <message>
        <source>What is said is not kept, %1 cannot be written (%2)</source>
        <translation>所说的话没有保存，无法写入 %1（%2）</translation>
    </message>
    <message>
        <source>What is said is not kept, the disk is full</source>
        <translation>所说的话没有保存，磁盘已满</translation>
    </message>
    <message>
        <source>What was said is kept on the disk again</source>
        <translation>所说的话又保存到磁盘了</translation>
    </message>
    <message>
        <source>captions cannot go to the text source %1 of OBS at %2</source>
        <translation>字幕无法送到 OBS（%2）的文本来源 %1</translation>
    </message>
    <message>
        <source>captions come without full stops: %1</source>
        <translation>字幕没有标点：%1</translation>
    </message>
    <message>
        <source>captions go on as before</source>
        <translation>字幕照旧继续</translation>
    </message>
    <message>
        <source>captions now come from %1</source>
        <translation>字幕现由 %1 生成</translation>
    </message>
    <message>
        <source>captions now come from %1 on %2</source>
        <translation>字幕现由 %1 在 %2 上生成</translation>
    </message>
    <message>
        <source>captions stopped: %1</source>
        <translation>字幕已停止：%1</translation>
    </message>
    <message>
        <source>change its permissions, or copy it</source>
        <translation>请修改权限，或复制一份</translation>
    </message>
    <message>
        <source>check &apos;proxy&apos; in pip&apos;s configuration, then try again</source>
        <translation>请检查 pip 配置中的 proxy，然后重试</translation>
    </message>
    <message>
        <source>check it with: captionglass models verify</source>
        <translation>请用此命令检查：captionglass models verify</translation>
    </message>
    <message>
        <source>check that it is on, or choose another: captionglass devices lists them</source>
        <translation>请检查它是否开启，或另选一个：captionglass devices 会列出设备</translation>
    </message>
    <message>
        <source>check that it is plugged in and not muted by the system, or choose another: captionglass devices lists them</source>
        <translation>请检查它是否插好、是否被系统静音，或另选一个：captionglass devices 会列出设备</translation>
    </message>
    <message>
        <source>check that you may write there</source>
        <translation>请检查你是否有写入权限</translation>
    </message>
    <message>
        <source>check that you may write there, or set %1 to another folder</source>
        <translation>请检查你是否有写入权限，或把 %1 设为其他文件夹</translation>
    </message>
    <message>
        <source>check the connection and what &apos;pip config list&apos; says, then try again</source>
        <translation>请检查网络连接和 pip config list 的输出，然后重试</translation>
    </message>
    <message>
        <source>check the connection, or set %1 to a mirror, then try again</source>
        <translation>请检查网络连接，或把 %1 设为镜像地址，然后重试</translation>
    </message>
    <message>
        <source>check the connection, then try again</source>
        <translation>请检查网络连接，然后重试</translation>
    </message>
    <message>
        <source>check the name</source>
        <translation>请检查名称</translation>
    </message>
    <message>
        <source>check the name and the folder</source>
        <translation>请检查名称和文件夹</translation>
    </message>
    <message>
        <source>check what &apos;pip config list&apos; says, then try again</source>
        <translation>请检查 pip config list 的内容，然后重试</translation>
    </message>
    <message>
        <source>chmod 600 %1</source>
        <translation>chmod 600 %1</translation>
    </message>
    <message>
        <source>choose a folder of your own</source>
        <translation>请选择自己的文件夹</translation>
    </message>
    <message>
        <source>choose a hotkey in the settings</source>
        <translation>请在设置中选择快捷键</translation>
    </message>
    <message>
        <source>choose a model that does to measure this computer</source>
        <translation>请选择支持英语的模型来测量这台电脑</translation>
    </message>
    <message>
        <source>choose a smaller model such as %1, or close what else is working</source>
        <translation>请选择更小的模型，例如 %1，或关闭其他正在运行的程序</translation>
    </message>
    <message>
        <source>choose a smaller model, or close what else is working</source>
        <translation>请选择更小的模型，或关闭其他正在工作的程序</translation>
    </message>
    <message>
        <source>choose a streaming transducer, and words that its language has</source>
        <translation>请选择流式 transducer 模型，以及该语言中有的词</translation>
    </message>
    <message>
        <source>choose another file</source>
        <translation>请选择其他文件</translation>
    </message>
    <message>
        <source>choose another folder</source>
        <translation>请选择其他文件夹</translation>
    </message>
    <message>
        <source>choose another folder in the settings</source>
        <translation>请在设置中选择其他文件夹</translation>
    </message>
    <message>
        <source>choose another id</source>
        <translation>请选择其他 ID</translation>
    </message>
    <message>
        <source>choose another model or the CPU provider</source>
        <translation>请选择其他模型，或改用 CPU</translation>
    </message>
    <message>
        <source>choose another name</source>
        <translation>请选择其他名称</translation>
    </message>
    <message>
        <source>choose another place</source>
        <translation>请选择其他位置</translation>
    </message>
    <message>
        <source>choose another with --port, or close what uses it (another Captionglass?)</source>
        <translation>请用 --port 另选端口，或关闭占用它的程序（另一个 Captionglass？）</translation>
    </message>
    <message>
        <source>choose another: captionglass devices lists them</source>
        <translation>请另选一个：captionglass devices 会列出设备</translation>
    </message>
    <message>
        <source>choose other keys in the settings</source>
        <translation>请在设置中选择其他按键</translation>
    </message>
    <message>
        <source>close other programs</source>
        <translation>请关闭其他程序</translation>
    </message>
    <message>
        <source>close other programs, or choose a smaller model</source>
        <translation>请关闭其他程序，或选择更小的模型</translation>
    </message>
    <message>
        <source>close that program</source>
        <translation>请关闭那个程序</translation>
    </message>
    <message>
        <source>close what else uses it, or choose a smaller model</source>
        <translation>请关闭占用它的程序，或选择更小的模型</translation>
    </message>
    <message>
        <source>close what else uses the GPU, or choose a smaller model</source>
        <translation>请关闭占用 GPU 的程序，或选择更小的模型</translation>
    </message>
    <message>
        <source>close whatever uses it and check that you may write there</source>
        <translation>请关闭占用它的程序，并检查你是否有写入权限</translation>
    </message>
    <message>
        <source>config.json in %1 cannot be understood</source>
        <translation>无法理解 %1 中的 config.json</translation>
    </message>
    <message>
        <source>config.json of %1 cannot be read</source>
        <translation>无法读取 %1 的 config.json</translation>
    </message>
    <message>
        <source>connect loudspeakers or headphones</source>
        <translation>请连接扬声器或耳机</translation>
    </message>
    <message>
        <source>connect loudspeakers or headphones, or caption a file: captionglass caption FILE</source>
        <translation>请连接扬声器或耳机，或为文件生成字幕：captionglass caption FILE</translation>
    </message>
    <message>
        <source>convert it to WAV or FLAC</source>
        <translation>请转换为 WAV 或 FLAC</translation>
    </message>
    <message>
        <source>convert it to WAV or FLAC, or install PyAV (the extra &apos;media&apos;) for videos and other containers</source>
        <translation>请转换为 WAV 或 FLAC，或安装 PyAV（附加组件 media）以读取视频等格式</translation>
    </message>
    <message>
        <source>convert it to WAV or FLAC; 16 kHz mono s16le can be piped into: captionglass caption -</source>
        <translation>请转换为 WAV 或 FLAC；16 kHz 单声道 s16le 可通过管道送入：captionglass caption -</translation>
    </message>
    <message>
        <source>copy it from Tools, WebSocket Server Settings, Show Connect Info in OBS</source>
        <translation>请在 OBS 的“工具 &gt; WebSocket 服务器设置 &gt; 显示连接信息”中复制密码</translation>
    </message>
    <message>
        <source>could not fetch %1</source>
        <translation>无法下载 %1</translation>
    </message>
    <message>
        <source>could not fetch %1 (%2)</source>
        <translation>无法下载 %1（%2）</translation>
    </message>
    <message>
        <source>could not fetch %1 of %2 (%3)</source>
        <translation>无法下载 %2 的 %1（%3）</translation>
    </message>
    <message>
        <source>could not fetch %1 of %2, the connection broke</source>
        <translation>无法下载 %2 的 %1，连接中断</translation>
    </message>
    <message>
        <source>could not fetch %1 of %2, the network cannot be reached</source>
        <translation>无法下载 %2 的 %1，无法连接网络</translation>
    </message>
    <message>
        <source>could not fetch %1 of %2, the server answers %3</source>
        <translation>无法下载 %2 的 %1，服务器返回 %3</translation>
    </message>
    <message>
        <source>could not fetch %1 of %2, the server does not answer</source>
        <translation>无法下载 %2 的 %1，服务器没有响应</translation>
    </message>
    <message>
        <source>could not fetch %1 of %2, the server has no such file</source>
        <translation>无法下载 %2 的 %1，服务器上没有该文件</translation>
    </message>
    <message>
        <source>could not fetch %1 of %2, the server is overloaded</source>
        <translation>无法下载 %2 的 %1，服务器过载</translation>
    </message>
    <message>
        <source>could not fetch %1 of %2, the server refuses</source>
        <translation>无法下载 %2 的 %1，服务器拒绝了请求</translation>
    </message>
    <message>
        <source>could not fetch %1 of %2, the server&apos;s certificate is not trusted</source>
        <translation>无法下载 %2 的 %1，服务器的证书不受信任</translation>
    </message>
    <message>
        <source>could not fetch %1, pip does not trust the server&apos;s certificate</source>
        <translation>无法下载 %1，pip 不信任服务器的证书</translation>
    </message>
    <message>
        <source>could not fetch %1, pip finds no such package</source>
        <translation>无法下载 %1，pip 找不到该软件包</translation>
    </message>
    <message>
        <source>could not fetch %1, pip says %2</source>
        <translation>无法下载 %1，pip 提示 %2</translation>
    </message>
    <message>
        <source>could not fetch %1, the connection broke</source>
        <translation>无法下载 %1，连接中断</translation>
    </message>
    <message>
        <source>could not fetch %1, the disk is full</source>
        <translation>无法下载 %1，磁盘已满</translation>
    </message>
    <message>
        <source>could not fetch %1, the hub cannot be reached</source>
        <translation>无法下载 %1，无法连接模型库</translation>
    </message>
    <message>
        <source>could not fetch %1, the hub does not answer</source>
        <translation>无法下载 %1，模型库没有响应</translation>
    </message>
    <message>
        <source>could not fetch %1, the hub has no such file</source>
        <translation>无法下载 %1，模型库中没有该文件</translation>
    </message>
    <message>
        <source>could not fetch %1, the hub is overloaded</source>
        <translation>无法下载 %1，模型库过载</translation>
    </message>
    <message>
        <source>could not fetch %1, the hub wants a login</source>
        <translation>无法下载 %1，模型库要求登录</translation>
    </message>
    <message>
        <source>could not fetch %1, the hub&apos;s library is set to offline</source>
        <translation>无法下载 %1，模型库组件处于离线模式</translation>
    </message>
    <message>
        <source>could not fetch %1, the network cannot be reached</source>
        <translation>无法下载 %1，无法连接网络</translation>
    </message>
    <message>
        <source>could not fetch %1, the package index is overloaded</source>
        <translation>无法下载 %1，软件包索引过载</translation>
    </message>
    <message>
        <source>could not fetch %1, the package index refuses</source>
        <translation>无法下载 %1，软件包索引拒绝访问</translation>
    </message>
    <message>
        <source>could not fetch %1, the proxy refuses or cannot be reached</source>
        <translation>无法下载 %1，代理拒绝访问或无法连接</translation>
    </message>
    <message>
        <source>could not fetch %1, the server answers %2</source>
        <translation>无法下载 %1，服务器返回 %2</translation>
    </message>
    <message>
        <source>could not fetch %1, the server does not answer</source>
        <translation>无法下载 %1，服务器没有响应</translation>
    </message>
    <message>
        <source>could not fetch %1, the server has no such file</source>
        <translation>无法下载 %1，服务器上没有该文件</translation>
    </message>
    <message>
        <source>could not fetch %1, the server is overloaded</source>
        <translation>无法下载 %1，服务器过载</translation>
    </message>
    <message>
        <source>could not fetch %1, the server refuses</source>
        <translation>无法下载 %1，服务器拒绝了请求</translation>
    </message>
    <message>
        <source>could not fetch %1, the server&apos;s certificate is not trusted</source>
        <translation>无法下载 %1，服务器的证书不受信任</translation>
    </message>
    <message>
        <source>create %1 first</source>
        <translation>请先创建 %1</translation>
    </message>
    <message>
        <source>cuDNN %1 not found (%2): pip install &apos;onnxruntime-gpu[cuda,cudnn]&apos;</source>
        <translation>未找到 cuDNN %1（%2）：pip install &apos;onnxruntime-gpu[cuda,cudnn]&apos;</translation>
    </message>
    <message>
        <source>cuDNN not found (%1): pip install &apos;onnxruntime-gpu[cuda,cudnn]&apos;</source>
        <translation>未找到 cuDNN（%1）：pip install &apos;onnxruntime-gpu[cuda,cudnn]&apos;</translation>
    </message>
    <message>
        <source>delete it</source>
        <translation>请将其删除</translation>
    </message>
    <message>
        <source>delete what is in the folder, or make it writable</source>
        <translation>请删除其中的文件，或让文件夹可写</translation>
    </message>
    <message>
        <source>did you mean %1?</source>
        <translation>是否指 %1？</translation>
    </message>
    <message>
        <source>did you mean %1? Or captionglass devices lists what there is</source>
        <translation>是否指 %1？captionglass devices 会列出可用设备</translation>
    </message>
    <message>
        <source>did you mean %1? Or choose another: captionglass devices lists them</source>
        <translation>是否指 %1？或另选一个：captionglass devices 会列出设备</translation>
    </message>
    <message>
        <source>did you mean %1? Use %2 or 0 to 100</source>
        <translation>是否指 %1？请使用 %2，或 0 到 100</translation>
    </message>
    <message>
        <source>did you mean %1? there are %2</source>
        <translation>是否指 %1？可用的有 %2</translation>
    </message>
    <message>
        <source>end the name in %1</source>
        <translation>文件名请以 %1 结尾</translation>
    </message>
    <message>
        <source>fetch it again</source>
        <translation>请重新下载</translation>
    </message>
    <message>
        <source>fetch it again: captionglass models get %1</source>
        <translation>请重新下载：captionglass models get %1</translation>
    </message>
    <message>
        <source>fetch it again: captionglass models get ID</source>
        <translation>请重新下载：captionglass models get ID</translation>
    </message>
    <message>
        <source>fetch it: git lfs pull</source>
        <translation>请获取真实文件：git lfs pull</translation>
    </message>
    <message>
        <source>fetch the model again: captionglass models get %1</source>
        <translation>请重新下载模型：captionglass models get %1</translation>
    </message>
    <message>
        <source>fetch the model again: captionglass models get ID</source>
        <translation>请重新下载模型：captionglass models get ID</translation>
    </message>
    <message>
        <source>fetching %1 broke off</source>
        <translation>%1 下载中断</translation>
    </message>
    <message>
        <source>fetching %1 of %2 broke off</source>
        <translation>%2 的 %1 下载中断</translation>
    </message>
    <message>
        <source>fetching %1 of %2 was stopped</source>
        <translation>%2 的 %1 已停止下载</translation>
    </message>
    <message>
        <source>fetching %1 was stopped</source>
        <translation>%1 已停止下载</translation>
    </message>
    <message>
        <source>file %1 failed (%2: %3)</source>
        <translation>文件 %1 失败（%2：%3）</translation>
    </message>
    <message>
        <source>for example app:Firefox</source>
        <translation>例如 app:Firefox</translation>
    </message>
    <message>
        <source>free some space and start again</source>
        <translation>请腾出空间后重新开始</translation>
    </message>
    <message>
        <source>free some space, or set %1 to a folder on another disk</source>
        <translation>请腾出空间，或把 %1 设为其他磁盘上的文件夹</translation>
    </message>
    <message>
        <source>free some space, or use the files where they lie</source>
        <translation>请腾出空间，或直接使用原处的文件</translation>
    </message>
    <message>
        <source>free some space, then try again</source>
        <translation>请腾出空间，然后重试</translation>
    </message>
    <message>
        <source>free some space; changes last until the program ends</source>
        <translation>请腾出空间；目前的更改只保留到程序结束</translation>
    </message>
    <message>
        <source>free some space; nothing is lost until the program ends</source>
        <translation>请腾出空间；程序结束前内容都不会丢失</translation>
    </message>
    <message>
        <source>give 1 to %1 characters</source>
        <translation>请输入 1 到 %1 个字符</translation>
    </message>
    <message>
        <source>give each its own</source>
        <translation>请分别指定</translation>
    </message>
    <message>
        <source>give the name of a file in it</source>
        <translation>请给出其中的文件名</translation>
    </message>
    <message>
        <source>global hotkeys cannot be had (%1)</source>
        <translation>无法使用全局快捷键（%1）</translation>
    </message>
    <message>
        <source>install Python with pip, or copy the models folder from another machine</source>
        <translation>请安装带 pip 的 Python，或从其他电脑复制 models 文件夹</translation>
    </message>
    <message>
        <source>install it: pip install onnx-asr</source>
        <translation>请安装：pip install onnx-asr</translation>
    </message>
    <message>
        <source>installing %1 was stopped</source>
        <translation>%1 已停止安装</translation>
    </message>
    <message>
        <source>it cannot be deleted</source>
        <translation>无法删除</translation>
    </message>
    <message>
        <source>it is kept as %1</source>
        <translation>已保留为 %1</translation>
    </message>
    <message>
        <source>it is tried again by and by; see: captionglass doctor</source>
        <translation>稍后会自动再试；详见 captionglass doctor</translation>
    </message>
    <message>
        <source>it knows %1</source>
        <translation>支持 %1</translation>
    </message>
    <message>
        <source>it knows %1 ...</source>
        <translation>支持 %1 等</translation>
    </message>
    <message>
        <source>keep the files&apos; published names, config.json among them</source>
        <translation>请保留文件发布时的名称，包括 config.json</translation>
    </message>
    <message>
        <source>known models are %1</source>
        <translation>已知的模型有 %1</translation>
    </message>
    <message>
        <source>known models are %1, ...</source>
        <translation>已知的模型有 %1 等</translation>
    </message>
    <message>
        <source>line %1 of %2 is no token and its number</source>
        <translation>%2 的第 %1 行不是词元及其编号</translation>
    </message>
    <message>
        <source>log in with: hf auth login</source>
        <translation>请登录：hf auth login</translation>
    </message>
    <message>
        <source>loopback %1 failed (%2: %3)</source>
        <translation>电脑声音 %1 失败（%2：%3）</translation>
    </message>
    <message>
        <source>lower its input volume</source>
        <translation>请调低其输入音量</translation>
    </message>
    <message>
        <source>macOS does not let this program hear the microphone</source>
        <translation>macOS 不允许本程序使用麦克风</translation>
    </message>
    <message>
        <source>macOS does not let this program hear the microphone, by a rule of this computer</source>
        <translation>根据这台电脑的规定，macOS 不允许本程序使用麦克风</translation>
    </message>
    <message>
        <source>macOS needs a loopback driver for it: install BlackHole and send the sound to it as well (docs/sound.md shows how)</source>
        <translation>macOS 需要回环驱动：请安装 BlackHole，并让声音同时输出到它（做法见 docs/sound.md）</translation>
    </message>
    <message>
        <source>make its folder writable</source>
        <translation>请让其所在文件夹可写</translation>
    </message>
    <message>
        <source>make the folder writable</source>
        <translation>请让文件夹可写</translation>
    </message>
    <message>
        <source>make the folder writable; changes last until the program ends</source>
        <translation>请让文件夹可写；目前的更改只保留到程序结束</translation>
    </message>
    <message>
        <source>make the folder writable; nothing is lost until the program ends</source>
        <translation>请让文件夹可写；程序结束前内容都不会丢失</translation>
    </message>
    <message>
        <source>measuring could not be started (%1)</source>
        <translation>无法开始测量（%1）</translation>
    </message>
    <message>
        <source>measuring ended too early (%1)</source>
        <translation>测量提前结束（%1）</translation>
    </message>
    <message>
        <source>measuring ended too early (exit code %1)</source>
        <translation>测量提前结束（退出代码 %1）</translation>
    </message>
    <message>
        <source>measuring gave an answer that makes no sense (%1)</source>
        <translation>测量给出了无意义的结果（%1）</translation>
    </message>
    <message>
        <source>mend it; until then the settings stay as they are</source>
        <translation>请修正；在此之前设置保持不变</translation>
    </message>
    <message>
        <source>mend or delete it</source>
        <translation>请修正或删除</translation>
    </message>
    <message>
        <source>mend or delete it; until then changes last until the program ends</source>
        <translation>请修正或删除；在此之前，更改只保留到程序结束</translation>
    </message>
    <message>
        <source>model %1 cannot be put into %2 (%3)</source>
        <translation>模型 %1 无法放入 %2（%3）</translation>
    </message>
    <message>
        <source>model %1 cannot be removed from %2 (%3)</source>
        <translation>无法从 %2 删除模型 %1（%3）</translation>
    </message>
    <message>
        <source>model %1 comes with the program and cannot be removed</source>
        <translation>模型 %1 是程序自带的，无法删除</translation>
    </message>
    <message>
        <source>model %1 has no version for %2-%3</source>
        <translation>模型 %1 没有适用于 %2-%3 的版本</translation>
    </message>
    <message>
        <source>model %1 is being installed</source>
        <translation>模型 %1 正在安装</translation>
    </message>
    <message>
        <source>model %1 is damaged, its file %2 cannot be read (%3)</source>
        <translation>模型 %1 已损坏，无法读取其文件 %2（%3）</translation>
    </message>
    <message>
        <source>model %1 is damaged, its file %2 does not have the right sha256</source>
        <translation>模型 %1 已损坏，文件 %2 的 sha256 不对</translation>
    </message>
    <message>
        <source>model %1 is damaged, its file %2 has %3 bytes, not %4</source>
        <translation>模型 %1 已损坏，文件 %2 有 %3 字节，应为 %4</translation>
    </message>
    <message>
        <source>model %1 is damaged, its file %2 is missing</source>
        <translation>模型 %1 已损坏，缺少文件 %2</translation>
    </message>
    <message>
        <source>model %1 is damaged, what was seen when it was fetched is gone</source>
        <translation>模型 %1 已损坏，下载时的校验信息已丢失</translation>
    </message>
    <message>
        <source>model %1 is not installed</source>
        <translation>模型 %1 未安装</translation>
    </message>
    <message>
        <source>model %1 was added or made on this machine and is damaged</source>
        <translation>在这台电脑上添加或制作的模型 %1 已损坏</translation>
    </message>
    <message>
        <source>model.bin in %1 is no Whisper for CTranslate2</source>
        <translation>%1 中的 model.bin 不是 CTranslate2 的 Whisper 模型</translation>
    </message>
    <message>
        <source>models are fetched with pip, and there is none here</source>
        <translation>模型通过 pip 下载，但这里没有 pip</translation>
    </message>
    <message>
        <source>move the slider towards accurate, or close what else is working</source>
        <translation>请将滑块移向“准确”，或关闭其他正在运行的程序</translation>
    </message>
    <message>
        <source>name a file in a folder of yours</source>
        <translation>请指定自己文件夹中的文件</translation>
    </message>
    <message>
        <source>name a file in it</source>
        <translation>请指定其中的文件</translation>
    </message>
    <message>
        <source>name a file with sound</source>
        <translation>请指定有声音的文件</translation>
    </message>
    <message>
        <source>name a sound file in it</source>
        <translation>请指定其中的声音文件</translation>
    </message>
    <message>
        <source>name the folder of one model alone</source>
        <translation>请指定只含一个模型的文件夹</translation>
    </message>
    <message>
        <source>name the folder the model lies in</source>
        <translation>请指定模型所在的文件夹</translation>
    </message>
    <message>
        <source>no NVIDIA GPU can be asked, nvidia-ml-py is not installed</source>
        <translation>无法查询 NVIDIA GPU，未安装 nvidia-ml-py</translation>
    </message>
    <message>
        <source>no NVIDIA GPU, its driver is not installed</source>
        <translation>没有 NVIDIA GPU，未安装其驱动</translation>
    </message>
    <message>
        <source>no NVIDIA GPU, though its driver is installed</source>
        <translation>没有 NVIDIA GPU，但已安装其驱动</translation>
    </message>
    <message>
        <source>no application called %1 plays sound yet; it is captioned once it does</source>
        <translation>应用程序 %1 尚未播放声音，播放后即生成字幕</translation>
    </message>
    <message>
        <source>no input device is called %1</source>
        <translation>没有名为 %1 的输入设备</translation>
    </message>
    <message>
        <source>no microphone is called %1</source>
        <translation>没有名为 %1 的麦克风</translation>
    </message>
    <message>
        <source>no model captions the language %1</source>
        <translation>没有模型支持语言 %1</translation>
    </message>
    <message>
        <source>no output device is called %1</source>
        <translation>没有名为 %1 的输出设备</translation>
    </message>
    <message>
        <source>no preset is called %1</source>
        <translation>没有名为 %1 的预设</translation>
    </message>
    <message>
        <source>no process for %1 could be started (%2)</source>
        <translation>无法为 %1 启动进程（%2）</translation>
    </message>
    <message>
        <source>no profile is called %1</source>
        <translation>没有名为 %1 的档位</translation>
    </message>
    <message>
        <source>no sound input device was found</source>
        <translation>没有找到声音输入设备</translation>
    </message>
    <message>
        <source>no sound output that could be captioned was found</source>
        <translation>没有找到可供生成字幕的声音输出</translation>
    </message>
    <message>
        <source>no sound output was found</source>
        <translation>没有找到声音输出</translation>
    </message>
    <message>
        <source>no space for model %1 in %2, it needs %3 MB</source>
        <translation>%2 的空间放不下模型 %1，需要 %3 MB</translation>
    </message>
    <message>
        <source>no space for model %1 in %2, it needs %3 MB, %4 MB are free</source>
        <translation>%2 的空间放不下模型 %1，需要 %3 MB，剩余 %4 MB</translation>
    </message>
    <message>
        <source>no table</source>
        <translation>没有表格</translation>
    </message>
    <message>
        <source>nothing is being captioned</source>
        <translation>当前没有在生成字幕</translation>
    </message>
    <message>
        <source>nothing is captioned yet</source>
        <translation>尚未生成字幕</translation>
    </message>
    <message>
        <source>on Debian or Ubuntu: apt-get install libasound2-plugins</source>
        <translation>Debian 或 Ubuntu 上请运行：apt-get install libasound2-plugins</translation>
    </message>
    <message>
        <source>on Debian or Ubuntu: apt-get install libportaudio2</source>
        <translation>Debian 或 Ubuntu 上请运行：apt-get install libportaudio2</translation>
    </message>
    <message>
        <source>one application&apos;s sound can be captioned on Linux with PulseAudio or PipeWire only</source>
        <translation>只有在使用 PulseAudio 或 PipeWire 的 Linux 上，才能为单个应用程序的声音生成字幕</translation>
    </message>
    <message>
        <source>onnxruntime does not say why</source>
        <translation>onnxruntime 没有说明原因</translation>
    </message>
    <message>
        <source>other users of this computer can read the secrets in %1</source>
        <translation>这台电脑的其他用户可以读取 %1 中的密码</translation>
    </message>
    <message>
        <source>pip install &apos;captionglass[redis]&apos;</source>
        <translation>pip install &apos;captionglass[redis]&apos;</translation>
    </message>
    <message>
        <source>pipe raw sound into: captionglass caption -</source>
        <translation>请把原始声音通过管道送入：captionglass caption -</translation>
    </message>
    <message>
        <source>pipe signed 16-bit little-endian mono sound at 16 kHz into it</source>
        <translation>请通过管道送入 16 kHz 单声道、16 位有符号小端格式的声音</translation>
    </message>
    <message>
        <source>playing now: %1</source>
        <translation>正在播放：%1</translation>
    </message>
    <message>
        <source>plug in a microphone, or caption a file: captionglass caption FILE</source>
        <translation>请接上麦克风，或为文件生成字幕：captionglass caption FILE</translation>
    </message>
    <message>
        <source>plug in another, or insist: %1</source>
        <translation>请接上另一个麦克风，或坚持使用：%1</translation>
    </message>
    <message>
        <source>plug it in again, or choose another</source>
        <translation>请重新插好，或另选一个</translation>
    </message>
    <message>
        <source>plug it in again, or choose another: captionglass devices lists them</source>
        <translation>请重新插好，或另选一个：captionglass devices 会列出设备</translation>
    </message>
    <message>
        <source>plug one in and try again</source>
        <translation>请接上麦克风后重试</translation>
    </message>
    <message>
        <source>port %1 cannot be used</source>
        <translation>无法使用端口 %1</translation>
    </message>
    <message>
        <source>port %1 cannot be used (%2)</source>
        <translation>无法使用端口 %1（%2）</translation>
    </message>
    <message>
        <source>port %1 is taken</source>
        <translation>端口 %1 已被占用</translation>
    </message>
    <message>
        <source>port %1 is taken (%2)</source>
        <translation>端口 %1 已被占用（%2）</translation>
    </message>
    <message>
        <source>presets cannot be kept in %1</source>
        <translation>无法在 %1 中保存预设</translation>
    </message>
    <message>
        <source>press Try again to caption the microphone</source>
        <translation>点击“重试”即可为麦克风生成字幕</translation>
    </message>
    <message>
        <source>raise its input volume, or come closer</source>
        <translation>请调高其输入音量，或靠近一些</translation>
    </message>
    <message>
        <source>record or copy it again</source>
        <translation>请重新录制或复制</translation>
    </message>
    <message>
        <source>remove it and add it again: captionglass models remove %1</source>
        <translation>请删除后重新添加：captionglass models remove %1</translation>
    </message>
    <message>
        <source>run: captionglass models get %1</source>
        <translation>请运行：captionglass models get %1</translation>
    </message>
    <message>
        <source>run: captionglass models verify %1</source>
        <translation>请运行：captionglass models verify %1</translation>
    </message>
    <message>
        <source>save what is set now under another name</source>
        <translation>请用另一个名称保存当前设置</translation>
    </message>
    <message>
        <source>secrets cannot be kept in %1 (%2)</source>
        <translation>无法在 %1 中保存密码（%2）</translation>
    </message>
    <message>
        <source>see captionglass history list</source>
        <translation>请查看 captionglass history list</translation>
    </message>
    <message>
        <source>see docs/models.md for the files each family needs</source>
        <translation>各类模型所需的文件见 docs/models.md</translation>
    </message>
    <message>
        <source>see whether OBS hangs</source>
        <translation>请检查 OBS 是否卡住</translation>
    </message>
    <message>
        <source>see whether it is muted, and whether the system lets this program use it</source>
        <translation>请检查它是否静音，以及系统是否允许本程序使用它</translation>
    </message>
    <message>
        <source>see whether it runs there</source>
        <translation>请检查 Redis 是否在那里运行</translation>
    </message>
    <message>
        <source>see whether it wants a login</source>
        <translation>请检查是否需要登录</translation>
    </message>
    <message>
        <source>see whether the disk answers</source>
        <translation>请检查磁盘是否有响应</translation>
    </message>
    <message>
        <source>see who else uses it, and whose it is</source>
        <translation>请检查是否有其他程序在使用，以及文件属于谁</translation>
    </message>
    <message>
        <source>see: captionglass doctor</source>
        <translation>详见 captionglass doctor</translation>
    </message>
    <message>
        <source>see: captionglass models list; a model of your own can be added</source>
        <translation>详见 captionglass models list；也可以添加自己的模型</translation>
    </message>
    <message>
        <source>set &apos;cert&apos; in pip&apos;s configuration, then try again</source>
        <translation>请在 pip 配置中设置 cert，然后重试</translation>
    </message>
    <message>
        <source>set SSL_CERT_FILE to your certificates, then try again</source>
        <translation>请把 SSL_CERT_FILE 设为你的证书，然后重试</translation>
    </message>
    <message>
        <source>something unexpected happened (%1)</source>
        <translation>发生意外错误（%1）</translation>
    </message>
    <message>
        <source>something unexpected happened (%1: %2)</source>
        <translation>发生意外错误（%1：%2）</translation>
    </message>
    <message>
        <source>speech from %1 is loud enough</source>
        <translation>%1 的说话音量已经足够</translation>
    </message>
    <message>
        <source>speech from %1 is very quiet</source>
        <translation>%1 的说话音量很小</translation>
    </message>
    <message>
        <source>start OBS, and switch on its WebSocket server under Tools</source>
        <translation>请启动 OBS，并在“工具”中开启 WebSocket 服务器</translation>
    </message>
    <message>
        <source>start again</source>
        <translation>请重新开始</translation>
    </message>
    <message>
        <source>start it (PulseAudio or PipeWire), or caption a file: captionglass caption FILE</source>
        <translation>请启动它（PulseAudio 或 PipeWire），或为文件生成字幕：captionglass caption FILE</translation>
    </message>
    <message>
        <source>stdin failed (%1: %2)</source>
        <translation>标准输入失败（%1：%2）</translation>
    </message>
    <message>
        <source>switch full stops and commas off in the settings</source>
        <translation>请在设置中关闭自动标点</translation>
    </message>
    <message>
        <source>switch noise suppression off</source>
        <translation>请关闭降噪</translation>
    </message>
    <message>
        <source>take a streaming export</source>
        <translation>请使用流式导出的模型</translation>
    </message>
    <message>
        <source>take both from the same place</source>
        <translation>请从同一处获取两者</translation>
    </message>
    <message>
        <source>take it from where the model came from</source>
        <translation>请从模型的来源处获取</translation>
    </message>
    <message>
        <source>the GPU has fallen off the bus, restart the machine</source>
        <translation>GPU 已从总线上掉线，请重新启动电脑</translation>
    </message>
    <message>
        <source>the NVIDIA driver does not answer (%1)</source>
        <translation>NVIDIA 驱动没有响应（%1）</translation>
    </message>
    <message>
        <source>the NVIDIA driver is too old for this CUDA: update the driver</source>
        <translation>NVIDIA 驱动对此 CUDA 来说太旧：请更新驱动</translation>
    </message>
    <message>
        <source>the NVIDIA driver is too old to be read</source>
        <translation>NVIDIA 驱动太旧，无法读取</translation>
    </message>
    <message>
        <source>the Redis address cannot be understood</source>
        <translation>无法理解 Redis 地址</translation>
    </message>
    <message>
        <source>the Redis library is not installed</source>
        <translation>未安装 Redis 组件</translation>
    </message>
    <message>
        <source>the certificate in %1 cannot be made or used</source>
        <translation>无法生成或使用 %1 中的证书</translation>
    </message>
    <message>
        <source>the demo recording</source>
        <translation>示例录音</translation>
    </message>
    <message>
        <source>the engine does not answer</source>
        <translation>引擎没有响应</translation>
    </message>
    <message>
        <source>the figures cannot be kept in %1 (%2)</source>
        <translation>无法在 %1 中保存测量结果（%2）</translation>
    </message>
    <message>
        <source>the file %1 came with the wrong sha256</source>
        <translation>收到的文件 %1 的 sha256 不对</translation>
    </message>
    <message>
        <source>the file %1 came with the wrong size</source>
        <translation>收到的文件 %1 大小不对</translation>
    </message>
    <message>
        <source>the file %1 of %2 came with the wrong sha256</source>
        <translation>收到的 %2 的文件 %1 的 sha256 不对</translation>
    </message>
    <message>
        <source>the file %1 of %2 came with the wrong size</source>
        <translation>收到的 %2 的文件 %1 大小不对</translation>
    </message>
    <message>
        <source>the file %1 of model %2 came with the wrong sha256</source>
        <translation>收到的模型 %2 的文件 %1 的 sha256 不对</translation>
    </message>
    <message>
        <source>the file %1 of model %2 came with the wrong size</source>
        <translation>收到的模型 %2 的文件 %1 大小不对</translation>
    </message>
    <message>
        <source>the history could not be finished</source>
        <translation>未能完成文字记录的写入</translation>
    </message>
    <message>
        <source>the history does not keep up</source>
        <translation>文字记录的写入跟不上</translation>
    </message>
    <message>
        <source>the memory of %1 is exhausted: %2 goes on on the processor</source>
        <translation>%1 的内存已用尽，%2 改用处理器继续</translation>
    </message>
    <message>
        <source>the memory of %1 is exhausted: captions go on with %2</source>
        <translation>%1 的内存已用尽，改由 %2 继续生成字幕</translation>
    </message>
    <message>
        <source>the memory of the GPU is exhausted: close what else uses it</source>
        <translation>GPU 的内存已用尽：请关闭占用它的程序</translation>
    </message>
    <message>
        <source>the metadata of %1 is of different numbers of stacks</source>
        <translation>%1 的元数据中各堆栈数量不一致</translation>
    </message>
    <message>
        <source>the metadata of %1 lacks %2</source>
        <translation>%1 的元数据缺少 %2</translation>
    </message>
    <message>
        <source>the metadata of %1 says %2 for %3</source>
        <translation>%1 的元数据中 %3 的值是 %2</translation>
    </message>
    <message>
        <source>the model cannot be read (%1)</source>
        <translation>无法读取模型（%1）</translation>
    </message>
    <message>
        <source>the model catalogue %1 cannot be read (%2)</source>
        <translation>无法读取模型目录 %1（%2）</translation>
    </message>
    <message>
        <source>the model would not load (%1)</source>
        <translation>模型无法加载（%1）</translation>
    </message>
    <message>
        <source>the old file is kept as %1</source>
        <translation>原文件已保留为 %1</translation>
    </message>
    <message>
        <source>the only microphone is that of %1, a Bluetooth headset: opening it would make all it plays sound like a telephone</source>
        <translation>唯一的麦克风在蓝牙耳机 %1 上：打开它会让耳机播放的声音都像打电话一样</translation>
    </message>
    <message>
        <source>the package %1 came damaged</source>
        <translation>收到的软件包 %1 已损坏</translation>
    </message>
    <message>
        <source>the package %1 holds no %2</source>
        <translation>软件包 %1 中没有 %2</translation>
    </message>
    <message>
        <source>the rest is shown; the file was left as it is</source>
        <translation>其余部分已显示；文件保持原样</translation>
    </message>
    <message>
        <source>the session %1 cannot be read</source>
        <translation>无法读取记录 %1</translation>
    </message>
    <message>
        <source>the settings cannot be written to %1 (%2)</source>
        <translation>无法把设置写入 %1（%2）</translation>
    </message>
    <message>
        <source>the sound server does not answer</source>
        <translation>声音服务器没有响应</translation>
    </message>
    <message>
        <source>the sound system does not answer (%1)</source>
        <translation>声音系统没有响应（%1）</translation>
    </message>
    <message>
        <source>the state %1 is of type %2</source>
        <translation>状态 %1 的类型是 %2</translation>
    </message>
    <message>
        <source>the state %1 of %2 has the shape %3, its metadata makes that %4</source>
        <translation>%2 的状态 %1 形状为 %3，按元数据应为 %4</translation>
    </message>
    <message>
        <source>the tokenizer of %1 would not load</source>
        <translation>%1 的分词器无法加载</translation>
    </message>
    <message>
        <source>the tray</source>
        <translation>托盘</translation>
    </message>
    <message>
        <source>the window does not answer</source>
        <translation>窗口没有响应</translation>
    </message>
    <message>
        <source>there are %1</source>
        <translation>可用的有 %1</translation>
    </message>
    <message>
        <source>there is a model %1 already</source>
        <translation>已经有模型 %1 了</translation>
    </message>
    <message>
        <source>there is no file %1</source>
        <translation>没有文件 %1</translation>
    </message>
    <message>
        <source>there is no folder %1</source>
        <translation>没有文件夹 %1</translation>
    </message>
    <message>
        <source>there is no folder %1 either</source>
        <translation>文件夹 %1 也不存在</translation>
    </message>
    <message>
        <source>there is no input device %1</source>
        <translation>没有输入设备 %1</translation>
    </message>
    <message>
        <source>there is no model %1</source>
        <translation>没有模型 %1</translation>
    </message>
    <message>
        <source>there is no session %1</source>
        <translation>没有记录 %1</translation>
    </message>
    <message>
        <source>there is not enough memory for %1</source>
        <translation>内存不足以加载 %1</translation>
    </message>
    <message>
        <source>there is not enough memory for %1 on %2</source>
        <translation>%2 的内存不足以加载 %1</translation>
    </message>
    <message>
        <source>there is not enough memory for the model on %1</source>
        <translation>%1 的内存不足以加载模型</translation>
    </message>
    <message>
        <source>this computer is slow for %1 at %2: captions come less often</source>
        <translation>在“%2”档，%1 对这台电脑来说太慢，字幕更新会变少</translation>
    </message>
    <message>
        <source>this version has no recogniser for the family %1</source>
        <translation>此版本没有用于 %1 系列的识别器</translation>
    </message>
    <message>
        <source>to caption it all the same, choose %1</source>
        <translation>若仍要使用，请选择 %1</translation>
    </message>
    <message>
        <source>to report it, run captionglass doctor --report FILE</source>
        <translation>若要反馈，请运行 captionglass doctor --report FILE</translation>
    </message>
    <message>
        <source>tokens.txt of %1 has %2 tokens, the model %3</source>
        <translation>%1 的 tokens.txt 有 %2 个词元，模型有 %3 个</translation>
    </message>
    <message>
        <source>try again</source>
        <translation>请重试</translation>
    </message>
    <message>
        <source>try again later</source>
        <translation>请稍后重试</translation>
    </message>
    <message>
        <source>try again when that has ended</source>
        <translation>请等它结束后重试</translation>
    </message>
    <message>
        <source>try again; if it stays so, the package index serves a changed file</source>
        <translation>请重试；若仍然如此，则是软件包源中的文件被改动过</translation>
    </message>
    <message>
        <source>try again; if it stays so, the server holds a changed file</source>
        <translation>请重试；若仍然如此，则是服务器上的文件被改动过</translation>
    </message>
    <message>
        <source>try again; what has arrived is kept</source>
        <translation>请重试；已收到的部分会保留</translation>
    </message>
    <message>
        <source>try another model</source>
        <translation>请换一个模型</translation>
    </message>
    <message>
        <source>unlock by %1</source>
        <translation>可通过%1解锁</translation>
    </message>
    <message>
        <source>unset HF_HUB_OFFLINE</source>
        <translation>请取消设置 HF_HUB_OFFLINE</translation>
    </message>
    <message>
        <source>update Captionglass</source>
        <translation>请更新 Captionglass</translation>
    </message>
    <message>
        <source>use 0 to 100</source>
        <translation>请使用 0 到 100</translation>
    </message>
    <message>
        <source>use a model trained on filter banks</source>
        <translation>请使用以滤波器组特征训练的模型</translation>
    </message>
    <message>
        <source>use a streaming export of k2</source>
        <translation>请使用 k2 的流式导出</translation>
    </message>
    <message>
        <source>use a streaming export of k2 (icefall&apos;s export-onnx-streaming.py)</source>
        <translation>请使用 k2 的流式导出（icefall 的 export-onnx-streaming.py）</translation>
    </message>
    <message>
        <source>use small letters, digits, dots and dashes</source>
        <translation>请使用小写字母、数字、点和连字符</translation>
    </message>
    <message>
        <source>use the tray</source>
        <translation>请使用托盘</translation>
    </message>
    <message>
        <source>what Windows plays is recorded by PyAudioWPatch, which is missing</source>
        <translation>录制 Windows 播放的声音需要 PyAudioWPatch，但它不存在</translation>
    </message>
    <message>
        <source>what came before is captioned</source>
        <translation>中断之前的内容已生成字幕</translation>
    </message>
    <message>
        <source>what it says is not used, and changes last until the program ends</source>
        <translation>其中的内容不会被采用，更改只保留到程序结束</translation>
    </message>
    <message>
        <source>what this Mac plays cannot be captioned yet</source>
        <translation>还不能为这台 Mac 播放的声音生成字幕</translation>
    </message>
    <message>
        <source>write --obs-text NAME --obs-host 127.0.0.1:4455</source>
        <translation>请写作 --obs-text NAME --obs-host 127.0.0.1:4455</translation>
    </message>
    <message>
        <source>write it as redis://HOST:PORT/0</source>
        <translation>请写作 redis://HOST:PORT/0</translation>
    </message>
</context>
<context>
    <name>ObsGuide</name>
    <message>
        <source>Captions in OBS</source>
        <translation>在 OBS 中显示字幕</translation>
    </message>
    <message>
        <source>&lt;ol&gt;&lt;li&gt;Choose &lt;b&gt;Copy for OBS&lt;/b&gt; below. It writes a small file and copies its path.&lt;/li&gt;&lt;li&gt;In OBS, under &lt;b&gt;Sources&lt;/b&gt;, choose &lt;b&gt;+&lt;/b&gt;, then &lt;b&gt;Browser&lt;/b&gt;.&lt;/li&gt;&lt;li&gt;Tick &lt;b&gt;Local file&lt;/b&gt;, choose &lt;b&gt;Browse&lt;/b&gt; and paste the path.&lt;/li&gt;&lt;li&gt;Set &lt;b&gt;Width&lt;/b&gt; to 1920 and &lt;b&gt;Height&lt;/b&gt; to 1080, empty &lt;b&gt;Custom CSS&lt;/b&gt;, and choose &lt;b&gt;OK&lt;/b&gt;.&lt;/li&gt;&lt;/ol&gt;&lt;p&gt;The captions come by themselves whenever Captionglass runs, whichever is started first. The file holds the token that lets OBS read your captions: give it to nobody.&lt;/p&gt;</source>
        <translation>&lt;ol&gt;&lt;li&gt;点击下面的&lt;b&gt;为 OBS 复制&lt;/b&gt;。程序会写入一个小文件，并复制其路径。&lt;/li&gt;&lt;li&gt;在 OBS 的&lt;b&gt;来源&lt;/b&gt;中点击 &lt;b&gt;+&lt;/b&gt;，选择&lt;b&gt;浏览器&lt;/b&gt;。&lt;/li&gt;&lt;li&gt;勾选&lt;b&gt;本地文件&lt;/b&gt;，点击&lt;b&gt;浏览&lt;/b&gt;并粘贴路径。&lt;/li&gt;&lt;li&gt;把&lt;b&gt;宽度&lt;/b&gt;设为 1920，&lt;b&gt;高度&lt;/b&gt;设为 1080，清空&lt;b&gt;自定义 CSS&lt;/b&gt;，然后点击&lt;b&gt;确定&lt;/b&gt;。&lt;/li&gt;&lt;/ol&gt;&lt;p&gt;只要 Captionglass 在运行，字幕就会自动出现，与启动的先后无关。该文件中含有让 OBS 读取字幕的令牌，请勿交给他人。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>A scene with captions at its lower edge</source>
        <translation>下方带有字幕的场景</translation>
    </message>
    <message>
        <source>Switch on</source>
        <translation>开启</translation>
    </message>
    <message>
        <source>Copy for OBS</source>
        <translation>为 OBS 复制</translation>
    </message>
    <message>
        <source>Captionglass does not serve its captions yet. Switched on, it gives them to OBS and other programs on this computer that have the token, and to nobody else.</source>
        <translation>Captionglass 尚未提供字幕服务。开启后，只有这台电脑上持有令牌的 OBS 等程序可以读取字幕。</translation>
    </message>
    <message>
        <source>Copied: {0}</source>
        <translation>已复制：{0}</translation>
    </message>
</context>
<context>
    <name>PasswordRow</name>
    <message>
        <source>Password of OBS</source>
        <translation>OBS 密码</translation>
    </message>
    <message>
        <source>Looking where it is kept…</source>
        <translation>正在查找保存位置…</translation>
    </message>
    <message>
        <source>Keep</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Forget</source>
        <translation>清除</translation>
    </message>
    <message>
        <source>None is kept.</source>
        <translation>没有保存密码。</translation>
    </message>
    <message>
        <source>One is kept in the keyring of this computer.</source>
        <translation>密码保存在这台电脑的密钥环中。</translation>
    </message>
    <message>
        <source>One is kept in a file that only you can read.</source>
        <translation>密码保存在只有你能读取的文件中。</translation>
    </message>
    <message>
        <source>One is kept until Captionglass ends: there is no keyring here, and Privacy does not allow a file.</source>
        <translation>密码只保留到 Captionglass 退出：这里没有密钥环，“隐私”中也未允许保存到文件。</translation>
    </message>
    <message>
        <source>The environment gives one, which goes before any kept here.</source>
        <translation>环境变量提供了密码，它优先于此处保存的密码。</translation>
    </message>
</context>
<context>
    <name>PathEditor</name>
    <message>
        <source>Choose…</source>
        <translation>选择…</translation>
    </message>
</context>
<context>
    <name>PermissionPage</name>
    <message>
        <source>Who may listen?</source>
        <translation>谁能听到？</translation>
    </message>
    <message>
        <source>Only this computer. No sound and no word is ever sent anywhere.</source>
        <translation>只有这台电脑。声音和文字都不会发送到任何地方。</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>重新检查</translation>
    </message>
    <message>
        <source>Pausing stops the captions at once. Closing lets go of the microphone.</source>
        <translation>暂停后字幕立即停止，关闭后麦克风即被释放。</translation>
    </message>
    <message>
        <source>What others say is written down as well: it is fair to tell them.</source>
        <translation>别人说的话也会被记录，最好事先告诉他们。</translation>
    </message>
    <message>
        <source>Keep what was said, on this computer&apos;s disk</source>
        <translation>在这台电脑的磁盘上保留说过的内容</translation>
    </message>
    <message>
        <source>To be read, searched and deleted in the transcript window.</source>
        <translation>可在文字记录窗口中阅读、搜索和删除。</translation>
    </message>
    <message>
        <source>macOS does not let this program hear the microphone. Allow it in System Settings &gt; Privacy &amp; Security &gt; Microphone, then start Captionglass again.</source>
        <translation>macOS 不允许本程序使用麦克风。请在“系统设置 &gt; 隐私与安全性 &gt; 麦克风”中允许，然后重新启动 Captionglass。</translation>
    </message>
    <message>
        <source>macOS asks once whether Captionglass may hear the microphone. Choose Allow; it can be taken back in the System Settings.</source>
        <translation>macOS 会询问一次是否允许 Captionglass 使用麦克风。请选择“允许”，之后可在“系统设置”中收回。</translation>
    </message>
    <message>
        <source>Windows lets it, unless you have forbidden that: Settings &gt; Privacy &amp; security &gt; Microphone, for desktop apps.</source>
        <translation>Windows 默认允许，除非你曾禁止：见“设置 &gt; 隐私和安全性 &gt; 麦克风”中的桌面应用。</translation>
    </message>
    <message>
        <source>Nothing has to be allowed here. Captionglass opens what you have chosen, and nothing else, in the last of these steps.</source>
        <translation>这里无需授权。到最后一步，Captionglass 才会打开你所选的声音，不会打开其他。</translation>
    </message>
</context>
<context>
    <name>PlacesEditor</name>
    <message>
        <source>Forget</source>
        <translation>清除</translation>
    </message>
    <message numerus="yes">
        <source>%n arrangement(s)</source>
        <translation>
            <numerusform>%n 种屏幕布局</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Plots</name>
    <message>
        <source>First shown</source>
        <translation>首次显示</translation>
    </message>
    <message>
        <source>Stable</source>
        <translation>稳定</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>Of the last twenty words, the one in the middle.</source>
        <translation>最近二十个词的中位数。</translation>
    </message>
    <message>
        <source>Real-time factor</source>
        <translation>实时率</translation>
    </message>
    <message>
        <source>Above the dotted line computing takes longer than the sound.</source>
        <translation>高于虚线时，计算时间超过声音时长。</translation>
    </message>
    <message>
        <source>Level of the sound</source>
        <translation>音量</translation>
    </message>
    <message>
        <source>0 dBFS is as loud as can be. Shaded where speech was heard.</source>
        <translation>0 dBFS 为可能的最大值。阴影处检测到说话声。</translation>
    </message>
    <message>
        <source>speech</source>
        <translation>说话声</translation>
    </message>
    <message>
        <source>Waiting to be recognised</source>
        <translation>等待识别</translation>
    </message>
    <message>
        <source>Sound that was captured and not yet looked at.</source>
        <translation>已采集但尚未处理的声音。</translation>
    </message>
    <message>
        <source>Lost samples in a second</source>
        <translation>每秒丢失的采样</translation>
    </message>
    <message>
        <source>Sound that never reached the recogniser.</source>
        <translation>未能送达识别模型的声音。</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>GPU memory</source>
        <translation>显存</translation>
    </message>
    <message>
        <source>Of all programs together; the axis ends at what there is.</source>
        <translation>所有程序合计；坐标轴的顶端为总量。</translation>
    </message>
    <message>
        <source>GPU load</source>
        <translation>GPU 占用</translation>
    </message>
    <message>
        <source>Share of the last moment in which it computed.</source>
        <translation>最近一刻中用于计算的时间比例。</translation>
    </message>
    <message>
        <source>now {0}, at most {1} in the last five minutes</source>
        <translation>当前 {0}，最近五分钟最高 {1}</translation>
    </message>
    <message>
        <source>nothing yet</source>
        <translation>暂无数据</translation>
    </message>
    <message>
        <source>{0} min</source>
        <translation>{0} 分钟</translation>
    </message>
    <message>
        <source>now</source>
        <translation>现在</translation>
    </message>
</context>
<context>
    <name>PresetRow</name>
    <message>
        <source>In use</source>
        <translation>使用中</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Back to as it came</source>
        <translation>恢复原样</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>{0}: {1}</source>
        <translation>{0}：{1}</translation>
    </message>
</context>
<context>
    <name>Presets</name>
    <message>
        <source>Meeting</source>
        <translation>会议</translation>
    </message>
    <message>
        <source>Stream</source>
        <translation>直播</translation>
    </message>
    <message>
        <source>Lecture</source>
        <translation>讲座</translation>
    </message>
</context>
<context>
    <name>PresetsPage</name>
    <message>
        <source>A preset holds what is captioned, the model, the slider and the look. The tray, a hotkey and the command line switch between them.</source>
        <translation>预设包含声音来源、模型、滑块位置和外观。可通过托盘、快捷键和命令行切换。</translation>
    </message>
    <message>
        <source>Name for what is set now</source>
        <translation>为当前设置命名</translation>
    </message>
    <message>
        <source>Save as preset</source>
        <translation>存为预设</translation>
    </message>
    <message>
        <source>A preset of your own</source>
        <translation>自己的预设</translation>
    </message>
    <message>
        <source>Kept: {name}</source>
        <translation>已保存：{name}</translation>
    </message>
</context>
<context>
    <name>ProfileSlider</name>
    <message>
        <source>Latency or accuracy</source>
        <translation>延迟与准确度</translation>
    </message>
    <message>
        <source>Left: words appear earliest. Right: fewest errors.</source>
        <translation>左：出字最早。右：错误最少。</translation>
    </message>
</context>
<context>
    <name>QAbstractFileIconProvider</name>
    <message>
        <source>Folder</source>
        <translation>文件夹</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Drive</source>
        <translation>驱动器</translation>
    </message>
    <message>
        <source>%1 File</source>
        <translation>%1 文件</translation>
    </message>
</context>
<context>
    <name>QFileDialog</name>
    <message>
        <source>&amp;Look in:</source>
        <translation>查找位置(&amp;L)：</translation>
    </message>
    <message>
        <source>Files of &amp;type:</source>
        <translation>文件类型(&amp;T)：</translation>
    </message>
</context>
<context>
    <name>SampleCaption</name>
    <message>
        <source>its outline</source>
        <translation>描边</translation>
    </message>
    <message>
        <source>the panel</source>
        <translation>面板</translation>
    </message>
    <message>
        <source>✓ Contrast of the text with {what}: {figure} : 1 (good from {least} : 1)</source>
        <translation>✓ 文字与{what}的对比度：{figure} : 1（{least} : 1 以上为佳）</translation>
    </message>
    <message>
        <source>⚠ Contrast of the text with {what}: {figure} : 1 (less than {least} : 1)</source>
        <translation>⚠ 文字与{what}的对比度：{figure} : 1（低于 {least} : 1）</translation>
    </message>
</context>
<context>
    <name>SessionList</name>
    <message>
        <source>Sessions</source>
        <translation>记录</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Really delete?</source>
        <translation>确定删除？</translation>
    </message>
    <message>
        <source>Now</source>
        <translation>当前</translation>
    </message>
</context>
<context>
    <name>SettingRow</name>
    <message>
        <source>This cannot be empty; the setting stays as it was.</source>
        <translation>不能留空，设置保持不变。</translation>
    </message>
    <message>
        <source>This is not of the form described above; the setting stays as it was.</source>
        <translation>格式与上述说明不符，设置保持不变。</translation>
    </message>
    <message>
        <source>This cannot be: {why}</source>
        <translation>无法采用：{why}</translation>
    </message>
    <message>
        <source>Back to {value}</source>
        <translation>恢复为 {value}</translation>
    </message>
    <message>
        <source>Back to what it was at first</source>
        <translation>恢复为默认值</translation>
    </message>
</context>
<context>
    <name>Settings</name>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Sound</source>
        <translation>声音</translation>
    </message>
    <message>
        <source>What is captioned</source>
        <translation>为哪些声音生成字幕</translation>
    </message>
    <message>
        <source>Before it is recognised</source>
        <translation>识别之前</translation>
    </message>
    <message>
        <source>Model and language</source>
        <translation>模型与语言</translation>
    </message>
    <message>
        <source>Recognition</source>
        <translation>识别</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Fetching models</source>
        <translation>下载模型</translation>
    </message>
    <message>
        <source>Look</source>
        <translation>外观</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文字</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Where two lanes are captioned</source>
        <translation>双路字幕</translation>
    </message>
    <message>
        <source>Reading and window</source>
        <translation>阅读与窗口</translation>
    </message>
    <message>
        <source>Reading</source>
        <translation>阅读</translation>
    </message>
    <message>
        <source>Window</source>
        <translation>窗口</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Files</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>OBS</source>
        <translation>OBS</translation>
    </message>
    <message>
        <source>Other programs</source>
        <translation>其他程序</translation>
    </message>
    <message>
        <source>Hotkeys</source>
        <translation>快捷键</translation>
    </message>
    <message>
        <source>From any program</source>
        <translation>在任何程序中</translation>
    </message>
    <message>
        <source>Privacy</source>
        <translation>隐私</translation>
    </message>
    <message>
        <source>What is kept</source>
        <translation>保留的内容</translation>
    </message>
    <message>
        <source>Passwords</source>
        <translation>密码</translation>
    </message>
    <message>
        <source>General</source>
        <translation>通用</translation>
    </message>
    <message>
        <source>Language and assistance</source>
        <translation>语言与辅助功能</translation>
    </message>
    <message>
        <source>{n} px</source>
        <translation>{n} 像素</translation>
    </message>
    <message>
        <source>{n} %</source>
        <translation>{n}%</translation>
    </message>
    <message>
        <source>{n} s</source>
        <translation>{n} 秒</translation>
    </message>
    <message>
        <source>{n} days</source>
        <translation>{n} 天</translation>
    </message>
    <message>
        <source>Never</source>
        <translation>从不</translation>
    </message>
    <message>
        <source>None</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>Gentle</source>
        <translation>轻度</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Strong</source>
        <translation>强力</translation>
    </message>
    <message>
        <source>Whatever is fastest</source>
        <translation>自动选择最快的</translation>
    </message>
    <message>
        <source>Processor</source>
        <translation>处理器</translation>
    </message>
    <message>
        <source>As the model writes</source>
        <translation>按模型输出</translation>
    </message>
    <message>
        <source>Simplified</source>
        <translation>简体</translation>
    </message>
    <message>
        <source>Traditional</source>
        <translation>繁体</translation>
    </message>
    <message>
        <source>As the desktop</source>
        <translation>跟随桌面</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Medium</source>
        <translation>中等</translation>
    </message>
    <message>
        <source>Bold</source>
        <translation>粗体</translation>
    </message>
    <message>
        <source>As heard</source>
        <translation>按听到的</translation>
    </message>
    <message>
        <source>Capitals</source>
        <translation>全部大写</translation>
    </message>
    <message>
        <source>Small letters</source>
        <translation>全部小写</translation>
    </message>
    <message>
        <source>Start of the line</source>
        <translation>行首</translation>
    </message>
    <message>
        <source>Centre</source>
        <translation>居中</translation>
    </message>
    <message>
        <source>End of the line</source>
        <translation>行尾</translation>
    </message>
    <message>
        <source>Where there are two</source>
        <translation>有两路时</translation>
    </message>
    <message>
        <source>Always</source>
        <translation>始终</translation>
    </message>
    <message>
        <source>Free</source>
        <translation>不停靠</translation>
    </message>
    <message>
        <source>Top edge</source>
        <translation>上边缘</translation>
    </message>
    <message>
        <source>Bottom edge</source>
        <translation>下边缘</translation>
    </message>
    <message>
        <source>Translucent</source>
        <translation>半透明</translation>
    </message>
    <message>
        <source>One colour</source>
        <translation>纯色</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>SubRip subtitles</source>
        <translation>SubRip 字幕</translation>
    </message>
    <message>
        <source>Write a .srt file as captions run.</source>
        <translation>边生成字幕边写入 .srt 文件。</translation>
    </message>
    <message>
        <source>WebVTT subtitles</source>
        <translation>WebVTT 字幕</translation>
    </message>
    <message>
        <source>Write a .vtt file as captions run.</source>
        <translation>边生成字幕边写入 .vtt 文件。</translation>
    </message>
    <message>
        <source>Plain text</source>
        <translation>纯文本</translation>
    </message>
    <message>
        <source>Write finished lines into a .txt file.</source>
        <translation>把说完的句子写入 .txt 文件。</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>Write finished lines with their times into a .md file.</source>
        <translation>把说完的句子连同时间写入 .md 文件。</translation>
    </message>
    <message>
        <source>JSON Lines</source>
        <translation>JSON Lines</translation>
    </message>
    <message>
        <source>Write every update into a .jsonl file, for other programs.</source>
        <translation>把每次更新写入 .jsonl 文件，供其他程序使用。</translation>
    </message>
    <message>
        <source>Folder for these files</source>
        <translation>文件保存位置</translation>
    </message>
    <message>
        <source>They are named by date and time; empty for Captionglass in your documents.</source>
        <translation>文件按日期和时间命名；留空则保存到“文档”中的 Captionglass 文件夹。</translation>
    </message>
    <message>
        <source>Live text file</source>
        <translation>实时文本文件</translation>
    </message>
    <message>
        <source>A file that always holds the newest two rows, for programs that watch one; empty for none.</source>
        <translation>始终只含最新两行的文件，供监视文件的程序使用；留空则不写入。</translation>
    </message>
    <message>
        <source>Send captions to OBS</source>
        <translation>将字幕送到 OBS</translation>
    </message>
    <message>
        <source>Through its WebSocket server; the password is kept in the keyring.</source>
        <translation>通过 OBS 的 WebSocket 服务器；密码保存在密钥环中。</translation>
    </message>
    <message>
        <source>OBS runs on</source>
        <translation>OBS 所在的电脑</translation>
    </message>
    <message>
        <source>127.0.0.1 is this computer; what goes to another one is not encrypted.</source>
        <translation>127.0.0.1 为这台电脑；送往其他电脑的内容不加密。</translation>
    </message>
    <message>
        <source>Port of OBS</source>
        <translation>OBS 端口</translation>
    </message>
    <message>
        <source>As OBS says under Tools, WebSocket Server Settings.</source>
        <translation>见 OBS 的“工具 &gt; WebSocket 服务器设置”。</translation>
    </message>
    <message>
        <source>Text source in OBS</source>
        <translation>OBS 中的文本来源</translation>
    </message>
    <message>
        <source>The name of a text source to keep up to date; empty for none.</source>
        <translation>要持续更新的文本来源的名称；留空则不更新。</translation>
    </message>
    <message>
        <source>Closed captions in OBS</source>
        <translation>OBS 隐藏式字幕</translation>
    </message>
    <message>
        <source>Send them while OBS streams; viewers can switch them on.</source>
        <translation>在 OBS 直播时发送，观众可自行开启。</translation>
    </message>
    <message>
        <source>Start with the stream</source>
        <translation>随直播开始</translation>
    </message>
    <message>
        <source>Captions run while OBS streams, and pause while it does not.</source>
        <translation>OBS 直播时生成字幕，未直播时暂停。</translation>
    </message>
    <message>
        <source>Redis server</source>
        <translation>Redis 服务器</translation>
    </message>
    <message>
        <source>redis://HOST:PORT/0 to add finished lines to the stream captionglass there; empty for none. Needs the extra redis.</source>
        <translation>填写 redis://HOST:PORT/0，把说完的句子加入其中名为 captionglass 的流；留空则不发送。需要附加组件 redis。</translation>
    </message>
    <message>
        <source>Unfinished lines to Redis</source>
        <translation>未说完的句子也送往 Redis</translation>
    </message>
    <message>
        <source>Send lines that are still being spoken too.</source>
        <translation>把正在说的句子也发送出去。</translation>
    </message>
    <message>
        <source>Text weight</source>
        <translation>文字粗细</translation>
    </message>
    <message>
        <source>Bold reads better from far away.</source>
        <translation>粗体在远处更易看清。</translation>
    </message>
    <message>
        <source>Letter case</source>
        <translation>字母大小写</translation>
    </message>
    <message>
        <source>Capitals or small letters, whatever was heard.</source>
        <translation>不管听到的是什么，都显示为大写或小写字母。</translation>
    </message>
    <message>
        <source>At the start each word stays where it first appears; else the line that is being spoken moves as it grows.</source>
        <translation>“行首”让每个词停留在首次出现的位置；其他方式下，正在说的一行会随内容增长而移动。</translation>
    </message>
    <message>
        <source>How dark the soft shadow behind the letters is.</source>
        <translation>文字后面柔和阴影的深浅。</translation>
    </message>
    <message>
        <source>Nothing chosen: the theme&apos;s own.</source>
        <translation>不选则用主题默认颜色。</translation>
    </message>
    <message>
        <source>Where two lanes are captioned. Nothing chosen: the theme&apos;s own.</source>
        <translation>用于双路字幕。不选则用主题默认颜色。</translation>
    </message>
    <message>
        <source>The mark at the edge, solid or dotted, tells lanes apart without name and colour.</source>
        <translation>边缘的实线或虚线标记，不靠名称和颜色也能区分两路。</translation>
    </message>
    <message>
        <source>So long without a new word, and the panel goes until there is one.</source>
        <translation>这么久没有新词，面板就会隐藏，有新词时再出现。</translation>
    </message>
    <message>
        <source>Captions alone, without bar and notices: translucent, or on one colour for a colour key filter.</source>
        <translation>只显示字幕，不显示控制栏和消息：保持半透明，或填充一种颜色供“色值”滤镜抠除。</translation>
    </message>
    <message>
        <source>What is captioned. One application is written app:NAME, a sound file as its path.</source>
        <translation>为哪些声音生成字幕。单个应用程序写作 app:NAME，声音文件写其路径。</translation>
    </message>
    <message>
        <source>Helps in loud, steady noise; in quiet rooms there are fewest errors without.</source>
        <translation>在持续的大噪声中有用；在安静的房间里，不降噪错误最少。</translation>
    </message>
    <message>
        <source>A GPU is taken where it really works, else the processor.</source>
        <translation>GPU 确实可用时使用 GPU，否则使用处理器。</translation>
    </message>
    <message>
        <source>What is spoken; or the model&apos;s own, or what it finds out while captions run.</source>
        <translation>所说的语言；也可由模型决定，或在运行中自动判断。</translation>
    </message>
    <message>
        <source>Simplified or traditional, whatever the model gives.</source>
        <translation>无论模型输出什么，都转换为简体或繁体。</translation>
    </message>
    <message>
        <source>What is older goes by itself; never keeps it until you delete it.</source>
        <translation>超过期限的自动删除；“从不”则一直保留，直到你删除。</translation>
    </message>
    <message>
        <source>Of the captions. Where it lacks a script, another one stands in.</source>
        <translation>用于字幕。若缺少某种文字，则由其他字体代替。</translation>
    </message>
    <message>
        <source>0 % leaves only the outlined text, 100 % hides what is behind.</source>
        <translation>0% 只留下带描边的文字，100% 完全遮住后面的内容。</translation>
    </message>
    <message>
        <source>Dark or light, of captions and windows.</source>
        <translation>字幕和窗口的深色或浅色。</translation>
    </message>
    <message>
        <source>Space between letters</source>
        <translation>字间距</translation>
    </message>
    <message>
        <source>In percent of the text size; some readers follow wider text more easily.</source>
        <translation>以文字大小的百分比表示；有些读者觉得宽一些更易阅读。</translation>
    </message>
    <message>
        <source>Line height</source>
        <translation>行高</translation>
    </message>
    <message>
        <source>From line to line, in percent of the text size.</source>
        <translation>行与行的间距，以文字大小的百分比表示。</translation>
    </message>
    <message>
        <source>Alignment</source>
        <translation>对齐</translation>
    </message>
    <message>
        <source>Outline</source>
        <translation>描边</translation>
    </message>
    <message>
        <source>Width of the line around the letters, in percent of the text size.</source>
        <translation>文字描边的宽度，以文字大小的百分比表示。</translation>
    </message>
    <message>
        <source>Shadow</source>
        <translation>阴影</translation>
    </message>
    <message>
        <source>Panel colour</source>
        <translation>面板颜色</translation>
    </message>
    <message>
        <source>Colour of the microphone&apos;s lane</source>
        <translation>麦克风字幕的颜色</translation>
    </message>
    <message>
        <source>Colour of the computer&apos;s lane</source>
        <translation>电脑声音字幕的颜色</translation>
    </message>
    <message>
        <source>Names before the lines</source>
        <translation>行前的名称</translation>
    </message>
    <message>
        <source>Short sentences share a line</source>
        <translation>短句共用一行</translation>
    </message>
    <message>
        <source>A sentence goes on behind the last one of the same lane where there is room.</source>
        <translation>若有空间，新句子接在同一路上一句的后面。</translation>
    </message>
    <message>
        <source>New words fade in</source>
        <translation>新词淡入</translation>
    </message>
    <message>
        <source>Never where motion is reduced.</source>
        <translation>减弱动态效果时不淡入。</translation>
    </message>
    <message>
        <source>Disappear in pauses after</source>
        <translation>停顿多久后消失</translation>
    </message>
    <message>
        <source>Dock to an edge</source>
        <translation>停靠到边缘</translation>
    </message>
    <message>
        <source>The panel takes the whole width of the screen at that edge.</source>
        <translation>面板占据屏幕该边缘的整个宽度。</translation>
    </message>
    <message>
        <source>Locked</source>
        <translation>锁定</translation>
    </message>
    <message>
        <source>Clicks go through to what is below. Unlock by the hotkey or the tray.</source>
        <translation>点击会穿透到下面的窗口。可通过快捷键或托盘解锁。</translation>
    </message>
    <message>
        <source>Window for OBS</source>
        <translation>供 OBS 采集的窗口</translation>
    </message>
    <message>
        <source>Key colour</source>
        <translation>抠像颜色</translation>
    </message>
    <message>
        <source>What the colour key filter removes.</source>
        <translation>由“色值”滤镜去除的颜色。</translation>
    </message>
    <message>
        <source>Tell screen readers</source>
        <translation>向屏幕阅读器播报</translation>
    </message>
    <message>
        <source>Finished lines are announced politely, a few at a time.</source>
        <translation>说完的句子会温和地播报，每次几句。</translation>
    </message>
    <message>
        <source>Global hotkeys</source>
        <translation>全局快捷键</translation>
    </message>
    <message>
        <source>They work whichever program has the focus. Choose one and press other keys; Delete takes it away.</source>
        <translation>无论当前使用哪个程序都有效。选中一项后按其他键即可更改，按 Delete 则清除。</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>What recognises the speech.</source>
        <translation>用来识别说话声。</translation>
    </message>
    <message>
        <source>Latency or accuracy</source>
        <translation>延迟与准确度</translation>
    </message>
    <message>
        <source>0 shows words earliest, 100 waits longest and errs least.</source>
        <translation>0 出字最早，100 等待最久、错误最少。</translation>
    </message>
    <message>
        <source>Sound from</source>
        <translation>声音来源</translation>
    </message>
    <message>
        <source>Name of the microphone&apos;s lane</source>
        <translation>麦克风字幕的名称</translation>
    </message>
    <message>
        <source>Stands before what the microphone hears, where two lanes are captioned.</source>
        <translation>双路字幕时，显示在麦克风内容的前面。</translation>
    </message>
    <message>
        <source>Name of the computer&apos;s lane</source>
        <translation>电脑声音字幕的名称</translation>
    </message>
    <message>
        <source>Stands before what the computer plays, where two lanes are captioned.</source>
        <translation>双路字幕时，显示在电脑播放内容的前面。</translation>
    </message>
    <message>
        <source>Noise suppression</source>
        <translation>降噪</translation>
    </message>
    <message>
        <source>Make quiet voices louder</source>
        <translation>放大较轻的说话声</translation>
    </message>
    <message>
        <source>Only voices too quiet to be recognised well; all others stay as they are.</source>
        <translation>只放大因太轻而难以识别的声音，其他保持不变。</translation>
    </message>
    <message>
        <source>Runs on</source>
        <translation>运行于</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Chinese characters</source>
        <translation>汉字</translation>
    </message>
    <message>
        <source>Names and words to favour</source>
        <translation>优先识别的名称和词</translation>
    </message>
    <message>
        <source>Parted by commas; heard more readily by models that can (streaming transducers).</source>
        <translation>用逗号分隔；支持此功能的模型（流式 transducer）会更容易听出它们。</translation>
    </message>
    <message>
        <source>Say more</source>
        <translation>多出字</translation>
    </message>
    <message>
        <source>For streaming models that leave words out: raise it by halves. Too much makes words of noise.</source>
        <translation>用于会漏词的流式模型：每次提高 0.5。太高会把噪声当成词。</translation>
    </message>
    <message>
        <source>Set full stops and commas</source>
        <translation>自动标点</translation>
    </message>
    <message>
        <source>For Chinese and English models that give none; a model for it is fetched the first time (76 MB).</source>
        <translation>用于不输出标点的中文和英语模型；首次使用时会下载所需模型 (76 MB)。</translation>
    </message>
    <message>
        <source>Survive crashes</source>
        <translation>崩溃后自动恢复</translation>
    </message>
    <message>
        <source>Recognition runs in a process of its own: if a library crashes, captions go on after about a second. Off saves some 30 MB.</source>
        <translation>识别在单独的进程中运行：即使某个组件崩溃，约一秒后字幕即可继续。关闭可节省约 30 MB。</translation>
    </message>
    <message>
        <source>Captions for OBS and other programs</source>
        <translation>为 OBS 等程序提供字幕</translation>
    </message>
    <message>
        <source>Serve the caption page and the control port on this computer alone, to whoever has the token.</source>
        <translation>仅在这台电脑上向持有令牌的程序提供字幕页面和控制端口。</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>端口</translation>
    </message>
    <message>
        <source>Where they are served.</source>
        <translation>提供服务的端口。</translation>
    </message>
    <message>
        <source>Keep passwords in a file</source>
        <translation>将密码保存到文件</translation>
    </message>
    <message>
        <source>Where there is no keyring: in a file that only you can read, instead of for this run alone.</source>
        <translation>没有密钥环时，保存到只有你能读取的文件，而不是只保留到程序退出。</translation>
    </message>
    <message>
        <source>Keep what was said</source>
        <translation>保留说过的内容</translation>
    </message>
    <message>
        <source>Written to this computer&apos;s disk as it goes, and sent nowhere; off keeps nothing.</source>
        <translation>随时写入这台电脑的磁盘，不发送到任何地方；关闭则不保留。</translation>
    </message>
    <message>
        <source>Delete it after</source>
        <translation>多久后删除</translation>
    </message>
    <message>
        <source>Mirror of the model hub</source>
        <translation>模型库镜像</translation>
    </message>
    <message>
        <source>An address with the hub&apos;s interface, where the hub itself cannot be reached; empty for the hub.</source>
        <translation>无法连接模型库时，填写与其接口相同的地址；留空则使用模型库。</translation>
    </message>
    <message>
        <source>Font</source>
        <translation>字体</translation>
    </message>
    <message>
        <source>Text size</source>
        <translation>文字大小</translation>
    </message>
    <message>
        <source>Height of the caption text, in pixels at 100 % scaling.</source>
        <translation>字幕文字的高度，以 100% 缩放时的像素表示。</translation>
    </message>
    <message>
        <source>Lines</source>
        <translation>行数</translation>
    </message>
    <message>
        <source>How many lines are shown at once; resizing the panel changes it too.</source>
        <translation>同时显示的行数；调整面板大小也会改变它。</translation>
    </message>
    <message>
        <source>Panel opacity</source>
        <translation>面板不透明度</translation>
    </message>
    <message>
        <source>Text colour</source>
        <translation>文字颜色</translation>
    </message>
    <message>
        <source>Outline colour</source>
        <translation>描边颜色</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Language of the interface</source>
        <translation>界面语言</translation>
    </message>
    <message>
        <source>Of windows and messages, not of the captions.</source>
        <translation>用于窗口和消息，不影响字幕。</translation>
    </message>
    <message>
        <source>Reduce motion</source>
        <translation>减弱动态效果</translation>
    </message>
    <message>
        <source>Lines jump instead of gliding, and nothing fades.</source>
        <translation>行直接跳动而不滑动，也没有淡入淡出。</translation>
    </message>
    <message>
        <source>Place on the screen</source>
        <translation>屏幕上的位置</translation>
    </message>
    <message>
        <source>Where the panel was, for each arrangement of screens.</source>
        <translation>面板在每种屏幕布局中的位置。</translation>
    </message>
</context>
<context>
    <name>SettingsFoot</name>
    <message>
        <source>Undo</source>
        <translation>撤销</translation>
    </message>
    <message>
        <source>Import…</source>
        <translation>导入…</translation>
    </message>
    <message>
        <source>Export…</source>
        <translation>导出…</translation>
    </message>
    <message>
        <source>Open the file</source>
        <translation>打开文件</translation>
    </message>
    <message>
        <source>Reset all</source>
        <translation>全部重置</translation>
    </message>
    <message>
        <source>All settings are as they were at first.</source>
        <translation>所有设置已恢复为默认值。</translation>
    </message>
    <message>
        <source>Import settings</source>
        <translation>导入设置</translation>
    </message>
    <message>
        <source>Imported from {file}.</source>
        <translation>已从 {file} 导入。</translation>
    </message>
    <message numerus="yes">
        <source>%n thing(s) in it were left out: {first}</source>
        <translation>
            <numerusform>其中有 %n 项被略过：{first}</numerusform>
        </translation>
    </message>
    <message>
        <source>Export settings</source>
        <translation>导出设置</translation>
    </message>
    <message>
        <source>Written to {file}.</source>
        <translation>已写入 {file}。</translation>
    </message>
    <message>
        <source>There is no settings file, and none can be written.</source>
        <translation>没有设置文件，也无法写入。</translation>
    </message>
    <message>
        <source>Changes you save in {file} are taken at once.</source>
        <translation>在 {file} 中保存的更改会立即生效。</translation>
    </message>
    <message>
        <source>Nothing here opens it; the file is {file}</source>
        <translation>没有程序可以打开它；文件是 {file}</translation>
    </message>
    <message>
        <source>Settings (*.toml)</source>
        <translation>设置 (*.toml)</translation>
    </message>
</context>
<context>
    <name>SettingsPage</name>
    <message>
        <source>Ready-made looks</source>
        <translation>现成样式</translation>
    </message>
</context>
<context>
    <name>SettingsWindow</name>
    <message>
        <source>Settings – Captionglass</source>
        <translation>设置 – Captionglass</translation>
    </message>
    <message>
        <source>Search (Ctrl+F)</source>
        <translation>搜索 (Ctrl+F)</translation>
    </message>
    <message>
        <source>Search the settings</source>
        <translation>搜索设置</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>页面</translation>
    </message>
    <message>
        <source>Nothing is called that.</source>
        <translation>没有找到相关设置。</translation>
    </message>
    <message>
        <source>Found: {text}</source>
        <translation>搜索结果：{text}</translation>
    </message>
    <message>
        <source>{name} is deleted.</source>
        <translation>已删除 {name}。</translation>
    </message>
</context>
<context>
    <name>SlowCard</name>
    <message>
        <source>This computer is slow for {heavy}. {light} asks less of it.</source>
        <translation>{heavy} 对这台电脑来说太慢，{light} 的要求更低。</translation>
    </message>
    <message>
        <source>Use it</source>
        <translation>使用</translation>
    </message>
    <message>
        <source>Get and use it</source>
        <translation>下载并使用</translation>
    </message>
</context>
<context>
    <name>SourceEditor</name>
    <message>
        <source>Microphone</source>
        <translation>麦克风</translation>
    </message>
    <message>
        <source>What the computer plays</source>
        <translation>电脑播放的声音</translation>
    </message>
    <message>
        <source>Both, as two lanes</source>
        <translation>两者，双路字幕</translation>
    </message>
    <message>
        <source>{kind}: {name}</source>
        <translation>{kind}：{name}</translation>
    </message>
</context>
<context>
    <name>SourcePage</name>
    <message>
        <source>What shall be captioned?</source>
        <translation>要为哪种声音生成字幕？</translation>
    </message>
    <message>
        <source>You can choose something else at any time.</source>
        <translation>以后可以随时更改。</translation>
    </message>
    <message>
        <source>What is said here</source>
        <translation>这里说的话</translation>
    </message>
    <message>
        <source>The microphone hears it</source>
        <translation>由麦克风听取</translation>
    </message>
    <message>
        <source>What this computer plays</source>
        <translation>电脑播放的声音</translation>
    </message>
    <message>
        <source>Videos, calls, lectures, games</source>
        <translation>视频、通话、课程、游戏</translation>
    </message>
    <message>
        <source>Both, told apart</source>
        <translation>两者，分开显示</translation>
    </message>
    <message>
        <source>For calls: you and the others, each by name</source>
        <translation>适合通话：你和对方各有名称</translation>
    </message>
    <message>
        <source>Microphone</source>
        <translation>麦克风</translation>
    </message>
    <message>
        <source>Loudspeakers or headphones</source>
        <translation>扬声器或耳机</translation>
    </message>
    <message>
        <source>Look again for devices</source>
        <translation>重新查找设备</translation>
    </message>
    <message>
        <source>No microphone was found. Until there is one, a recording is captioned</source>
        <translation>没有找到麦克风。在此之前，将为示例录音生成字幕</translation>
    </message>
    <message>
        <source>The only microphone is that of a Bluetooth headset. Once it is opened, all that the headset plays sounds like a telephone</source>
        <translation>唯一的麦克风在蓝牙耳机上。打开它后，耳机播放的声音都会像打电话一样</translation>
    </message>
    <message>
        <source>macOS needs a loopback driver for that, such as BlackHole</source>
        <translation>macOS 为此需要回环驱动，例如 BlackHole</translation>
    </message>
    <message>
        <source>Nothing was found that plays sound</source>
        <translation>没有找到播放设备</translation>
    </message>
    <message>
        <source>As the system has it</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>{device} (Bluetooth: it then plays like a telephone)</source>
        <translation>{device}（蓝牙：打开后播放效果如同电话）</translation>
    </message>
</context>
<context>
    <name>StopButton</name>
    <message>
        <source>Stop: {0}</source>
        <translation>档位：{0}</translation>
    </message>
    <message>
        <source>Measured	on this computer with {0}</source>
        <translation>实测	在这台电脑上使用 {0}</translation>
    </message>
    <message>
        <source>Stop measuring</source>
        <translation>停止测量</translation>
    </message>
    <message>
        <source>Measure again</source>
        <translation>重新测量</translation>
    </message>
    <message>
        <source>Measure on this computer</source>
        <translation>在这台电脑上测量</translation>
    </message>
    <message>
        <source>Choose a stop, or measure what they do on this computer</source>
        <translation>选择档位，或测量各档在这台电脑上的效果</translation>
    </message>
    <message>
        <source>Takes about half a minute; captions go on meanwhile</source>
        <translation>大约需要半分钟，期间字幕照常</translation>
    </message>
</context>
<context>
    <name>StopTexts</name>
    <message>
        <source>Not measured on this computer yet</source>
        <translation>尚未在这台电脑上测量</translation>
    </message>
    <message>
        <source>{0} cores</source>
        <translation>{0} 核</translation>
    </message>
    <message>
        <source>busy {0} %</source>
        <translation>占用 {0}%</translation>
    </message>
    <message>
        <source>{0}: {1}</source>
        <translation>{0}：{1}</translation>
    </message>
    <message>
        <source>On this computer: {0}</source>
        <translation>在这台电脑上：{0}</translation>
    </message>
    <message>
        <source>words appear earliest, and some are taken back</source>
        <translation>出字最早，有些词会收回</translation>
    </message>
    <message>
        <source>words appear early, and few are taken back</source>
        <translation>出字较早，少数词会收回</translation>
    </message>
    <message>
        <source>early words that seldom change</source>
        <translation>出字较早，很少改动</translation>
    </message>
    <message>
        <source>a word appears once and never changes</source>
        <translation>词一旦出现就不再改动</translation>
    </message>
    <message>
        <source>words come latest, with the fewest errors</source>
        <translation>出字最晚，错误最少</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between the figures of a stop</comment>
        <translation>，</translation>
    </message>
    <message>
        <source>words {0}</source>
        <translation>{0}出字</translation>
    </message>
    <message>
        <source>words {0}, stay {1}</source>
        <translation>{0}出字，{1}稳定</translation>
    </message>
    <message>
        <source>at once</source>
        <translation>立即</translation>
    </message>
    <message>
        <source>after {0} s</source>
        <translation>{0} 秒后</translation>
    </message>
    <message>
        <source>no changes</source>
        <translation>没有改动</translation>
    </message>
    <message>
        <source>{0} changes a word</source>
        <translation>每词改动 {0} 次</translation>
    </message>
</context>
<context>
    <name>Stops</name>
    <message>
        <source>fastest</source>
        <translation>最快</translation>
    </message>
    <message>
        <source>fast</source>
        <translation>较快</translation>
    </message>
    <message>
        <source>balanced</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>steady</source>
        <translation>稳定</translation>
    </message>
    <message>
        <source>accurate</source>
        <translation>准确</translation>
    </message>
</context>
<context>
    <name>Styles</name>
    <message>
        <source>Standard</source>
        <translation>标准</translation>
    </message>
    <message>
        <source>Text only</source>
        <translation>仅文字</translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation>高对比度</translation>
    </message>
    <message>
        <source>Dyslexia-friendly</source>
        <translation>阅读障碍友好</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
</context>
<context>
    <name>TranscriptModel</name>
    <message>
        <source>not heard {0}–{1}</source>
        <translation>未听到 {0}–{1}</translation>
    </message>
    <message>
        <source>, </source>
        <comment>between text, name and time</comment>
        <translation>，</translation>
    </message>
</context>
<context>
    <name>TranscriptRows</name>
    <message>
        <source>You stopped reading here</source>
        <translation>上次读到这里</translation>
    </message>
    <message>
        <source>Nothing has been said yet</source>
        <translation>还没有人说话</translation>
    </message>
</context>
<context>
    <name>TranscriptTable</name>
    <message>
        <source>Transcript</source>
        <translation>文字记录</translation>
    </message>
</context>
<context>
    <name>TranscriptWindow</name>
    <message>
        <source>Transcript – Captionglass</source>
        <translation>文字记录 – Captionglass</translation>
    </message>
    <message numerus="yes">
        <source>Copied %n line(s)</source>
        <translation>
            <numerusform>已复制 %n 行</numerusform>
        </translation>
    </message>
    <message>
        <source>Transcript</source>
        <translation>文字记录</translation>
    </message>
    <message>
        <source>Written to {0}</source>
        <translation>已写入 {0}</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search the transcript</source>
        <translation>搜索文字记录</translation>
    </message>
    <message>
        <source>Previous place</source>
        <translation>上一处</translation>
    </message>
    <message>
        <source>Next place</source>
        <translation>下一处</translation>
    </message>
    <message>
        <source>Private</source>
        <translation>私密</translation>
    </message>
    <message>
        <source>Keep nothing of what is said from now on</source>
        <translation>从现在起不保留说过的内容</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>The selected lines, or all (Ctrl+C; with times Ctrl+Shift+C)</source>
        <translation>所选的行，或全部（Ctrl+C；带时间为 Ctrl+Shift+C）</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Jump to latest</source>
        <translation>跳到最新</translation>
    </message>
    <message>
        <source>{0} of {1}</source>
        <translation>第 {0} 处，共 {1} 处</translation>
    </message>
    <message>
        <source>Not found</source>
        <translation>未找到</translation>
    </message>
    <message numerus="yes">
        <source>Jump to latest (%n new)</source>
        <translation>
            <numerusform>跳到最新（%n 条新内容）</numerusform>
        </translation>
    </message>
    <message>
        <source>Deleted for good</source>
        <translation>已彻底删除</translation>
    </message>
    <message>
        <source>transcript</source>
        <comment>name of a file</comment>
        <translation>文字记录</translation>
    </message>
    <message>
        <source>Export the transcript</source>
        <translation>导出文字记录</translation>
    </message>
</context>
<context>
    <name>Tray</name>
    <message>
        <source>Controls</source>
        <translation>控制栏</translation>
    </message>
    <message>
        <source>Pause captions</source>
        <translation>暂停字幕</translation>
    </message>
    <message>
        <source>Lock (clicks go through)</source>
        <translation>锁定（点击穿透）</translation>
    </message>
    <message>
        <source>Style</source>
        <translation>样式</translation>
    </message>
    <message>
        <source>Preset</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Transcript</source>
        <translation>文字记录</translation>
    </message>
    <message>
        <source>Private (keep nothing)</source>
        <translation>私密（不保留内容）</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>All models…</source>
        <translation>所有模型…</translation>
    </message>
    <message>
        <source>Diagnostics</source>
        <translation>诊断</translation>
    </message>
    <message>
        <source>Captions in OBS</source>
        <translation>在 OBS 中显示字幕</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Hide captions</source>
        <translation>隐藏字幕</translation>
    </message>
    <message>
        <source>Show captions</source>
        <translation>显示字幕</translation>
    </message>
</context>
<context>
    <name>TryPage</name>
    <message>
        <source>Say something</source>
        <translation>请说点什么</translation>
    </message>
    <message>
        <source>The panel at the edge of the screen shows the same words.</source>
        <translation>屏幕边缘的面板会显示同样的文字。</translation>
    </message>
    <message>
        <source>Captions</source>
        <translation>字幕</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>重试</translation>
    </message>
    <message>
        <source>Play something</source>
        <translation>请播放些声音</translation>
    </message>
    <message>
        <source>Your words come here</source>
        <translation>你说的话会显示在这里</translation>
    </message>
    <message>
        <source>The model comes: {how}</source>
        <translation>正在准备模型：{how}</translation>
    </message>
</context>
<context>
    <name>_Counted</name>
    <message numerus="yes">
        <source>%n languages</source>
        <translation>
            <numerusform>%n 种语言</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n second(s) left</source>
        <translation>
            <numerusform>剩余 %n 秒</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n minute(s) left</source>
        <translation>
            <numerusform>剩余 %n 分钟</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n hour(s) left</source>
        <translation>
            <numerusform>剩余 %n 小时</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>_NameLine</name>
    <message>
        <source>Name of the preset</source>
        <translation>预设名称</translation>
    </message>
</context>
<context>
    <name>_Sample</name>
    <message>
        <source>Captions Aa 12</source>
        <translation>字幕 Aa 12</translation>
    </message>
</context>
<context>
    <name>_Stage</name>
    <message>
        <source>Sample of the captions</source>
        <translation>字幕示例</translation>
    </message>
    <message>
        <source>Shall we begin?</source>
        <translation>我们开始吧？</translation>
    </message>
    <message>
        <source>Yes, everybody is</source>
        <translation>好，大家都</translation>
    </message>
    <message>
        <source>here</source>
        <translation>到了</translation>
    </message>
</context>
</TS>
